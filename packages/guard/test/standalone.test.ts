import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { buildSync } from "esbuild";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "./scratch.ts";

const PACKAGE = resolve(import.meta.dirname, "..");
const folder = scratchFolder();
let program = "";

beforeEach(() => {
  program = resolve(folder(), "loopdash-guard.cjs");
  const entryPoints = [resolve(PACKAGE, "src/program/standalone.ts")];
  buildSync({ entryPoints, bundle: true, platform: "node", target: "node24", format: "cjs", outfile: program });
});

/** Runs the bundle where neither loopdash nor any package can be found. */
function run(args: readonly string[], input = "", file = program) {
  const env = { HOME: folder(), PATH: "/usr/bin:/bin" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    cwd: folder(),
    env,
    input,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const payload = (command: string) =>
  JSON.stringify({ session_id: "s", cwd: folder(), tool_name: "Bash", tool_input: { command } });

describe("the guard as a program of its own", () => {
  test("judges a command line", () => {
    expect(run(["check", "--", "git reset --hard"])).toMatchObject({ status: 2, stderr: expect.stringContaining("(git-reset)") });
    expect(run(["check", "--", "git status"])).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("judges lines of stdin", () => {
    const { status, stdout } = run(["check"], '"git status"\n"rm -rf /"\n');
    const verdicts = stdout.trim().split("\n");
    expect([status, ...verdicts.map((line) => JSON.parse(line).verdict)]).toEqual([0, "allow", "block"]);
  });

  test("answers the hooks of agents' programs", () => {
    const hook = (command: string) => run(["hook", "before-tool", "--agent", "claude"], payload(command)).status;
    expect([hook("git clean -fdx"), hook("ls")]).toEqual([2, 0]);
    const stop = run(["hook", "stop", "--agent", "claude"], JSON.stringify({ session_id: "s", cwd: folder() }));
    expect(stop).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("blocks what it cannot judge", () => {
    expect(run(["hook", "before-tool", "--agent", "claude"], "{").status).toBe(2);
    expect(run(["chekc"])).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("loopdash-guard check") });
  });

  test("blocks on a Node that is too old, and keeps no agent from stopping", () => {
    const text = readFileSync(resolve(PACKAGE, "bin/loopdash-guard.mjs"), "utf8");
    const old = resolve(folder(), "old.mjs");
    writeFileSync(old, text.replace("process.versions.node.split", '"20.20.2".split'));
    expect(run(["hook", "before-tool", "--agent", "claude"], payload("ls"), old).status).toBe(2);
    expect(run(["hook", "stop", "--agent", "claude"], "{}", old).status).toBe(1);
  });

  test("runs from the sources of a checkout, too", () => {
    const bin = resolve(PACKAGE, "bin/loopdash-guard.mjs");
    expect(run(["check", "--", "git reset --hard"], "", bin).status).toBe(2);
    expect(run(["--help"], "", bin)).toMatchObject({ status: 0, stderr: "" });
  });
});
