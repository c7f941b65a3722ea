import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withProbeFolder } from "../../../src/cli/doctor/probe-folder.ts";

const MODULE = resolve(import.meta.dirname, "../../../src/cli/doctor/probe-folder.ts");

function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-doctor-test-")));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

test("is there for as long as it is used, also where that fails", async () => {
  const parent = folder();
  const there = await withProbeFolder(parent, () => Promise.resolve(readdirSync(parent)));
  expect(there).toEqual([expect.stringMatching(/^\.loopdash-doctor-/)]);
  await expect(withProbeFolder(parent, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(readdirSync(parent)).toEqual([]);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("is gone after %s", async (signal) => {
  const parent = folder();
  const script = `import { withProbeFolder } from ${JSON.stringify(MODULE)};
    await withProbeFolder(${JSON.stringify(parent)}, () => { console.log("in"); return new Promise((settle) => setTimeout(settle, 60_000)); });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"], env: {} });
  await once(child.stdout, "data");
  expect(readdirSync(parent)).toHaveLength(1);
  child.kill(signal);
  const [code] = await once(child, "exit");
  expect(code).toBe(130);
  expect(readdirSync(parent)).toEqual([]);
});
