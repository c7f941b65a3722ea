import { describe, expect, test } from "vitest";
import { record } from "../helpers/recorded-run.ts";
import { plumbing, plumbingEnded } from "../store/scenes.ts";
import { type Pty, terminals } from "./pty.ts";
import { Stage } from "./stage.ts";

const open = terminals();

/** This machine has a run that needs a person; `box` is reached by an `ssh` that runs this machine's loopdash on another home. */
function twoMachines(): Stage & { readonly path: Stage["path"] } {
  const stage = new Stage();
  record(stage.home, plumbing(), { run: "here-1", batchPath: "/work/here.json" });
  record(stage.path("box"), plumbingEnded("not-done"), { run: "far-1", batchPath: "/work/far.json" });
  stage.write("bin/loopdash", `#!/bin/sh\nexec "${process.execPath}" "${stage.program}" "$@"\n`, 0o755);
  answers(stage, `PATH="$PATH" LOOPDASH_HOME="${stage.path("box")}" exec "$@"`);
  return stage;
}

/** What the other machine does with the command that ssh is given. */
function answers(stage: Stage, script: string): void {
  const parse = 'while [ "$1" != -- ]; do shift; done; host=$2; shift 2';
  stage.write(
    "bin/ssh",
    `#!/bin/sh\n${parse}\n[ "$host" = box ] || { echo "no such host: $host" >&2; exit 255; }\n${script}\n`,
    0o755,
  );
}

const withBin = (stage: Stage): Record<string, string> => ({ PATH: `${stage.path("bin")}:${stage.env["PATH"]}` });
const once = (stage: Stage, ...hosts: string[]) => stage.run(["watch", "--once", ...hosts], withBin(stage));

/** Goes down the list, one row after the other, until this one is selected. */
async function select(pty: Pty, row: string): Promise<void> {
  const rows = pty
    .text()
    .split("\n")
    .slice(1)
    .filter((line) => /^[ ▌][!●■✖✔] /.test(line));
  const at = rows.findIndex((line) => line.slice(1).startsWith(row));
  expect(at).toBeGreaterThanOrEqual(0);
  for (const line of rows.slice(0, at + 1)) await pty.press("j", `▌${line.slice(1).trimEnd()}`.slice(0, 60));
}

describe("loopdash watch", { timeout: 300_000 }, () => {
  test("tells what needs a person on all machines, what most tickets wait for first", async () => {
    using stage = twoMachines();
    const { code, stdout } = await once(stage, "box");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^! NEEDS YOU {2}\d+ · 0 runs at work\n/);
    expect(stdout).toMatch(/! here-1 {2}T-5 {2}approve the DNS change at the registrar/);
    expect(stdout).toMatch(/! box {2}far-1 {2}T-10 {2}3 of 3 attempts failed/);
    expect(stdout).toMatch(/^runs\n[^]*here-1 {2}unfinished[^]*box {2}far-1 {2}not done/m);
  });

  test("never says that nothing needs you while a machine does not answer, or answers nonsense", async () => {
    using stage = new Stage();
    answers(stage, `printf '[{"run":"x\\\\u001b[2J","live":true,"startedAt":1}]'`);
    for (const [host, why] of [
      ["gone", "no such host: gone"],
      ["box", "of one version?"],
    ] as const) {
      const { stdout } = await once(stage, host);
      expect(stdout).toMatch(/^\? UNKNOWN {2}0 runs at work · 1 machine away/);
      expect(stdout).toContain(why);
      expect(stdout).not.toContain("\u001b");
    }
  });

  test("takes no name for a machine that ssh would take for an option", async () => {
    using stage = new Stage();
    const { code, stderr } = await once(stage, "--", "-oProxyCommand=touch /tmp/x");
    expect(code).toBe(2);
    expect(stderr).toContain('cannot ask the machine "-oProxyCommand=touch /tmp/x"');
  });

  test("on a terminal: opens a run of this machine, comes back to the list, names the command for another machine's, and leaves", async () => {
    using stage = twoMachines();
    const pty = open(stage, ["watch", "box"], { columns: 100, rows: 24, env: withBin(stage) });
    await pty.waitFor(/! NEEDS YOU {2}\d+[^]*far-1/);
    await select(pty, "! here-1");
    await pty.press("\r", /overview|AT WORK/);
    await pty.press("q", /! NEEDS YOU {2}\d+ · /);
    await pty.waitFor(/far-1/);
    await select(pty, "! box");
    await pty.press("\r", "ssh -t box loopdash attach far-1");
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
  });
});
