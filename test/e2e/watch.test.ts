import { existsSync, readFileSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { record } from "../helpers/recorded-run.ts";
import { plumbing, plumbingEnded } from "../store/scenes.ts";
import { isAlive, until } from "./actors.ts";
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
  const from = rows.findIndex((line) => line.startsWith("▌")) + 1;
  for (const line of rows.slice(from, at + 1)) await pty.press("j", `▌${line.slice(1).trimEnd()}`.slice(0, 60));
}

describe("loopdash watch", { timeout: 300_000 }, () => {
  test("tells what needs a person on all machines, what most tickets wait for first", async () => {
    using stage = twoMachines();
    const { code, stdout } = await once(stage, "box");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^! NEEDS YOU {2}\d+ · 0 runs at work\n/);
    expect(stdout).toMatch(/! here-1 {2}T-5: approve the DNS change at the registrar/);
    expect(stdout).toMatch(/! box {2}far-1 {2}T-10: 3 of 3 attempts failed/);
    expect(stdout).toMatch(/^runs\n[^]*here-1 {2}unfinished[^]*box {2}far-1 {2}not done/m);
  });

  test("never says that nothing needs you while a machine does not answer, or answers nonsense", async () => {
    using stage = new Stage();
    answers(stage, `printf '[{"run":"x\\\\u001b[2J","live":true,"startedAt":1,"needs":[]}]'`);
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
    // Keys that come at once count one by one.
    await pty.press("kkkkkkkk", /▌! here-1/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
  });

  test("follows a run as it goes on: nothing needs you while it works, and what does once it stalls", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`while (!fs.existsSync(${JSON.stringify(stage.path("go"))})) await wait(50); process.exit(3);`);
    const pty = open(stage, ["watch"]);
    await pty.waitFor(/✔ IDLE/);
    const run = stage.start([stage.batch(["T-1"], { limits: { attempts: 1 } }), "--json"]);
    await pty.waitFor(/● RUNNING {2}nothing needs you · 1 run at work/);
    stage.write("go", "");
    await run.ended;
    await pty.waitFor(/! NEEDS YOU {2}1 · 0 runs at work[^]*T-1: /);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
  });

  test("a run that is gone is told in the list, which stays", async () => {
    using stage = twoMachines();
    const pty = open(stage, ["watch"], { columns: 60, rows: 15, env: withBin(stage) });
    await pty.waitFor(/here-1/);
    const db = new DatabaseSync(stage.path("home", "loopdash.db"));
    db.exec("PRAGMA foreign_keys = OFF; DELETE FROM journal; DELETE FROM runs");
    db.close();
    await pty.press("j\r", /cannot find the run "here-1"/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
  });

  test("leaves at once while another machine does not answer, and leaves no ssh behind; a signal ends it too", async () => {
    using stage = twoMachines();
    answers(stage, `echo $$ >> "${stage.path("asked")}"; exec sleep 300`);
    for (const end of ["q", "SIGTERM"]) {
      const pty = open(stage, ["watch", "box"], { env: withBin(stage) });
      await pty.waitFor(/asking…/);
      await until(() => existsSync(stage.path("asked")), "ssh was asked");
      if (end === "q") pty.type("q");
      else process.kill(pty.pid, "SIGTERM");
      expect(await pty.exitCode(10_000)).toBe(end === "q" ? 0 : 130);
      const asked = readFileSync(stage.path("asked"), "utf8").trim().split("\n").map(Number);
      await until(() => !asked.some(isAlive), "ssh is gone");
      rmSync(stage.path("asked"));
    }
  });

  test("a machine with very many runs and needs is shown without delay", async () => {
    using stage = twoMachines();
    const needs = Array.from({ length: 1_000 }, (_, i) => ({ kind: "step", ticket: `T-${i}`, says: "do it", blocks: [] }));
    stage.write("runs.json", `Welcome to box\n${JSON.stringify([{ run: "many-1", live: true, startedAt: 1, needs }])}\n`);
    answers(stage, `echo "Warning: a greeting" >&2; cat "${stage.path("runs.json")}"`);
    const { stdout } = await once(stage, "box", "box");
    expect(stdout).toMatch(/^! NEEDS YOU {2}1001 · 1 run at work/);
  });
});
