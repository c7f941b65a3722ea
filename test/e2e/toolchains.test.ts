import { describe, expect, test } from "vitest";
import { Stage } from "./stage.ts";

/** A program that tells this version, and nothing else. */
function installed(stage: Stage, path: string, version: string): void {
  stage.write(path, `#!/bin/sh\necho ${version}\n`, 0o755);
}

const tells = (program: string, version: string) => ["sh", "-c", `test "$(${program} --version)" = "${version}"`];
const check = (name: string, command: readonly string[]) => ({ step: "check", name, command, canary: "off" });

describe("the toolchains that a repository wants", { timeout: 120_000 }, () => {
  test.each(["required", "off"])("come first for its prepare, check, verify and agent commands; sandbox: %s", async (sandbox) => {
    using stage = new Stage();
    stage.repo("app", {
      ".nvmrc": "18\n",
      ".python-version": "3.1.4\n",
      "rust-toolchain.toml": '[toolchain]\nchannel = "1.2.3"\n',
    });
    stage.repo("plain");
    installed(stage, ".nvm/versions/node/v18.1.0/bin/node", "v18.1.0");
    installed(stage, ".nvm/versions/node/v18.20.0/bin/node", "v18.20.0");
    installed(stage, ".nvm/versions/node/v19.0.0/bin/node", "v19.0.0");
    installed(stage, ".pyenv/versions/3.1.4/bin/python3", "Python 3.1.4");
    installed(stage, ".rustup/toolchains/1.2.3-x86_64-unknown-linux-gnu/bin/rustc", "rustc 1.2.3");
    stage.agent('fs.writeFileSync(ticket + ".txt", sh("node", "--version"));');
    const all = "node --version >seen.txt; python3 --version >>seen.txt; rustc --version >>seen.txt";
    const batch = stage.batch(
      [
        {
          id: "T-1",
          repo: "app",
          finish: [
            check("node", tells("node", "v18.20.0")),
            check("rust", ["rustc"]),
            check("prepared", ["sh", "-c", `test "$(tr '\\n' , <seen.txt)" = "v18.20.0,Python 3.1.4,rustc 1.2.3,"`]),
            { step: "merge" },
            { step: "verify", name: "live", command: tells("python3", "Python 3.1.4") },
          ],
        },
        { id: "T-2", repo: "plain", finish: [check("node", tells("node", process.version)), { step: "merge" }] },
      ],
      { sandbox, repos: { app: { path: "app", prepare: [["sh", "-c", all]] }, plain: { path: "plain" } } },
    );
    const doctor = await stage.run(["doctor", batch]);
    expect(doctor.stdout).toMatch(
      /ok +toolchain +app: node 18\.20\.0 for 18 \(\.nvmrc\), from .*\/\.nvm\/versions\/node\/v18\.20\.0\/bin/,
    );
    const ended = await stage.run([batch, "--headless"]);
    expect(ended.code, ended.stdout).toBe(0);
    expect(stage.git("app", "show", "main:T-1.txt")).toBe("v18.20.0");
    expect(stage.git("plain", "show", "main:T-2.txt")).toBe(process.version);
  });

  test("are named before the first attempt if they are not installed", async () => {
    using stage = new Stage();
    stage.repo("app", { ".ruby-version": "9.9.9\n", "package.json": `{"engines": {"node": ">=1"}}` });
    stage.agent('fs.writeFileSync("x", "");');
    const batch = stage.batch(["T-1"], { finish: [{ step: "merge" }] });
    const plan = await stage.run([batch, "--dry-run"]);
    const start = await stage.run([batch, "--headless"]);
    const doctor = await stage.run(["doctor", batch]);
    for (const { stdout, stderr } of [plan, start, doctor])
      expect(stdout + stderr).toMatch(
        /batch\.json:\d+:\d+ +repos\.app: app wants ruby 9\.9\.9 \(\.ruby-version\), which is not installed/,
      );
    expect(doctor.stdout).toMatch(/ok +toolchain +app: node [\d.]+ for >=1 \(package\.json\), on PATH/);
    expect([plan.code, start.code]).toEqual([0, 0]);
  });
});
