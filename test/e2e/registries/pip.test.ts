import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { HONEST, Stage } from "../stage.ts";
import { startIndex } from "./index-server.ts";

/** Debian's, which `.ci/run` installs: one in a person's home is not there in the sandbox. */
const PYTHON = "/usr/bin/python3";
const missing =
  spawnSync(PYTHON, ["-m", "pip", "--version"]).status === 0 ? undefined : "pip is not installed: apt-get install python3-pip";
const PASSWORD = "pypi/Token+4711-not-for-agents";
const WHEEL = "left-1.0.0-py3-none-any.whl";

/** Writes a wheel (PEP 427) with one module. */
const MAKE_WHEEL = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("left.py", "SIDE = 'left'\\n")
    wheel.writestr("left-1.0.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: left\\nVersion: 1.0.0\\n")
    wheel.writestr("left-1.0.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("left-1.0.0.dist-info/RECORD", "left.py,,\\n")
`;

async function installs(env: Record<string, string>, headers: object) {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  execFileSync(PYTHON, ["-c", MAKE_WHEEL, stage.path(WHEEL)]);
  const wheel = readFileSync(stage.path(WHEEL));
  const hash = createHash("sha256").update(wheel).digest("hex");
  const index = await startIndex(stage.root, {
    authorization: `Basic ${Buffer.from(`ci-bot:${PASSWORD}`).toString("base64")}`,
    files: () => ({
      "/simple/left/": `<!DOCTYPE html><a href="/files/${WHEEL}#sha256=${hash}">${WHEEL}</a>\n`,
      [`/files/${WHEEL}`]: wheel,
    }),
  });
  stage.repo("app", { ".gitignore": "vendor\n", "requirements.txt": `left==1.0.0 --hash=sha256:${hash}\n` });
  stage.agent(HONEST);
  const quiet = ["--no-input", "--no-cache-dir", "--disable-pip-version-check", "--retries", "0"];
  const where = ["--target", "vendor", "--index-url", `https://127.0.0.1:${index.port}/simple/`];
  const pip = [PYTHON, "-m", "pip", "install", "--require-hashes", ...quiet, ...where, "-r", "requirements.txt"];
  const batch = stage.batch(["T-1"], {
    repos: { app: { path: "app", prepare: [pip] } },
    sandbox: "required",
    limits: { attempts: 1 },
    secrets: { pypi: { env: "CORP_PYPI_TOKEN" } },
    sandboxPolicy: { hosts: { prepare: [{ host: "127.0.0.1", port: index.port, addresses: ["127.0.0.1"], ...headers }] } },
    finish: [
      { step: "check", name: "imports", command: ["env", "PYTHONPATH=vendor", PYTHON, "-c", "import left; print(left.SIDE)"] },
      { step: "merge" },
    ],
  });
  const ended = await stage.run([batch, "--json"], { ...env, NODE_EXTRA_CA_CERTS: index.ca });
  return { ...ended, index, kept: stage.everything() };
}

describe("a private index for pip, behind a user and a password", { timeout: 300_000 }, () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  const headers = { headers: { authorization: "Basic {base64:ci-bot:{secret:pypi}}" } };

  test("lets pip install with the password that the gateway adds", async () => {
    const { code, stdout, index, kept } = await installs({ CORP_PYPI_TOKEN: PASSWORD }, headers);
    expect(code, stdout.slice(-3000)).toBe(0);
    expect(new Set(index.asked)).toEqual(new Set(["GET /simple/left/ 200", `GET /files/${WHEEL} 200`]));
    for (const text of [kept, stdout]) {
      expect(text).not.toContain(PASSWORD);
      expect(text).not.toContain(Buffer.from(`ci-bot:${PASSWORD}`).toString("base64"));
      expect(text).not.toContain("[secret pypi]");
    }
  });

  test("is not installed from without it, and the reason says so", async () => {
    const { code, index, kept } = await installs({ CORP_PYPI_TOKEN: PASSWORD }, {});
    expect(code).toBe(1);
    expect(new Set(index.asked)).toEqual(new Set(["GET /simple/left/ 401"]));
    expect(kept).toMatch(/401|No matching distribution found for left==1\.0\.0/);
  });
});
