import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { HONEST, Stage } from "../stage.ts";
import { startIndex } from "./index-server.ts";

/** Debian's, which `.ci/run` installs: one in a person's home is not there in the sandbox. */
const CARGO = "/usr/bin/cargo";
const missing = existsSync(CARGO) ? undefined : "cargo is not installed: apt-get install cargo";
const TOKEN = "cargo/Token+4711-not-for-agents";
/** Cargo 1.65 of Debian 12 reads sparse registries only as an unstable feature; 1.68 made them stable. */
const cargo = (...args: readonly string[]) => [
  "env",
  "RUSTC_BOOTSTRAP=1",
  "RUSTC=/usr/bin/rustc",
  "CARGO_HOME=.cargo-home",
  CARGO,
  "-Zsparse-registry",
  ...args,
];

/** The crate `left` 1.0.0 as a registry has it. */
function crate(stage: Stage): Buffer {
  stage.write("crates/left-1.0.0/Cargo.toml", '[package]\nname = "left"\nversion = "1.0.0"\nedition = "2021"\n');
  stage.write("crates/left-1.0.0/src/lib.rs", 'pub const SIDE: &str = "left";\n');
  execFileSync("tar", ["-czf", stage.path("left.crate"), "-C", stage.path("crates"), "left-1.0.0"]);
  return readFileSync(stage.path("left.crate"));
}

async function builds(headers: object) {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  const bytes = crate(stage);
  const cksum = createHash("sha256").update(bytes).digest("hex");
  const entry = { name: "left", vers: "1.0.0", deps: [], cksum, features: {}, yanked: false };
  const index = await startIndex(stage.root, {
    authorization: TOKEN,
    files: (base) => ({
      "/index/config.json": JSON.stringify({ dl: `${base}/crates/{crate}-{version}.crate` }),
      "/index/le/ft/left": `${JSON.stringify(entry)}\n`,
      "/crates/left-1.0.0.crate": bytes,
    }),
  });
  const source = `sparse+https://127.0.0.1:${index.port}/index/`;
  const lock = [
    'version = 3\n\n[[package]]\nname = "app"\nversion = "1.0.0"\ndependencies = [\n "left",\n]\n',
    `\n[[package]]\nname = "left"\nversion = "1.0.0"\nsource = "${source}"\nchecksum = "${cksum}"\n`,
  ];
  stage.repo("app", {
    ".gitignore": ".cargo-home\ntarget\n",
    ".cargo/config.toml": `[registries.corp]\nindex = "${source}"\n[net]\nretry = 0\n`,
    "Cargo.toml":
      '[package]\nname = "app"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\nleft = { version = "1.0.0", registry = "corp" }\n',
    "Cargo.lock": lock.join(""),
    "src/lib.rs": "pub fn side() -> &'static str { left::SIDE }\n",
  });
  stage.agent(HONEST);
  const batch = stage.batch(["T-1"], {
    repos: { app: { path: "app", prepare: [cargo("fetch", "--locked")] } },
    sandbox: "required",
    limits: { attempts: 1 },
    secrets: { cargo: { env: "CORP_CARGO_TOKEN" } },
    sandboxPolicy: { hosts: { prepare: [{ host: "127.0.0.1", port: index.port, addresses: ["127.0.0.1"], ...headers }] } },
    finish: [{ step: "check", name: "builds", command: cargo("build", "--offline", "--locked") }, { step: "merge" }],
  });
  const ended = await stage.run([batch, "--json"], { CORP_CARGO_TOKEN: TOKEN, NODE_EXTRA_CA_CERTS: index.ca });
  return { ...ended, index, kept: stage.everything() };
}

describe("a private sparse registry for cargo, behind a token", { timeout: 300_000 }, () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test("lets cargo fetch with the token that the gateway adds, and a check build without a network", async () => {
    const { code, stdout, index, kept } = await builds({ headers: { authorization: "{secret:cargo}" } });
    expect(code, stdout.slice(-3000)).toBe(0);
    expect(new Set(index.asked)).toEqual(
      new Set(["GET /index/config.json 200", "GET /index/le/ft/left 200", "GET /crates/left-1.0.0.crate 200"]),
    );
    for (const text of [kept, stdout]) {
      expect(text).not.toContain(TOKEN);
      expect(text).not.toContain("[secret cargo]");
    }
  });

  test("is not fetched from without it, and the reason says so", async () => {
    const { code, index, kept } = await builds({});
    expect(code).toBe(1);
    expect(index.asked.filter((line) => !line.endsWith("401"))).toEqual([]);
    expect(kept).toMatch(/401|token rejected|authenticated/);
  });
});
