import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { record } from "../helpers/recorded-run.ts";
import { plumbingEnded } from "../store/scenes.ts";
import { agentPid, enginePid, isAlive, patientAgent, until } from "./actors.ts";
import { type Pty, terminals } from "./pty.ts";
import { pidsUnder, Stage } from "./stage.ts";

const open = terminals();
const WIDE = { columns: 120, rows: 30 };

/** A run at work beside one that is done and one that was stopped. */
function threeRuns(): Stage {
  const stage = new Stage();
  stage.repo("app");
  patientAgent(stage);
  record(stage.home, plumbingEnded(), { run: "over-1", batchPath: "/work/over.json" });
  record(stage.home, plumbingEnded("stopped"), { run: "cut-2", batchPath: "/work/cut.json" });
  return stage;
}

/** The view of the runs, by the palette's own key order: shift-tab from the overview turns to the last view. */
async function runsView(pty: Pty): Promise<string> {
  const runs = /RUNS ─[^]*over-1|RUNS ─[^]*plumbing/;
  const shown = await pty.press("\u001b[Z", /RUNS ─[^]*over-1|RUNS ─[^]*plumbing|is passed over/);
  if (runs.test(shown)) return shown;
  // A key right behind the run's end is passed over, and the dashboard says so for some seconds.
  await pty.waitFor(/^(?![^]*is passed over)/);
  return pty.press("\u001b[Z", runs);
}

describe("several runs", { timeout: 300_000 }, () => {
  test("are listed, the live one first, and switched without leaving; the exit code is that of the run it was started for", async () => {
    using stage = threeRuns();
    const pty = open(stage, [stage.batch(["T-1"])], WIDE);
    await pty.waitFor("READY T-1");
    const list = await runsView(pty);
    expect(list).toMatch(/● at work +test \(here\)[^]*[■✔] (?:stopped|done) +plumbing[^]*[■✔] (?:stopped|done) +plumbing/);
    await pty.press("j", /▌■ stopped[^]*To continue it: loopdash \/work\/cut\.json/);
    await pty.press("j\r", /^ ✔ DONE[^]*─ TICKETS 9/);
    expect([isAlive(enginePid(stage)), isAlive(agentPid(stage, "T-1"))]).toEqual([true, true]);

    // Nothing that is pressed here reaches the run that was shown before.
    await pty.press("\t", "TICKET");
    await pty.press("p", "the run has ended");
    pty.type("q");
    expect(await pty.exitCode()).toBe(130);
    expect(pty.main()).toMatch(
      /✔ DONE, says the oracle[^]*The exit code, 130, is that of run test-\S+[^]*it continues: loopdash attach test-/,
    );
    expect((await stage.report("test")).interventions.total).toBe(0);

    stage.write("go", "");
    expect(await stage.run(["attach", "test"])).toMatchObject({ code: 0 });
    await until(() => pidsUnder(stage.root).length === 0, "nothing left running");
  });

  test("from one that has ended to one at work, and back: its commands reach that run alone", async () => {
    using stage = threeRuns();
    expect((await stage.run([stage.batch(["T-1"]), "--detach"])).code).toBe(0);
    const pty = open(stage, ["attach", "over-1"], WIDE);
    await pty.waitFor(/^ ✔ DONE/);
    await runsView(pty);
    await pty.press("\u001b[H", /▌● at work +test/);
    await pty.press("\r", /^ ● RUNNING[^]*READY T-1/);
    await pty.press("p", /^ \S+ PAUSED/);
    await pty.press("p", /^ ● RUNNING/);
    stage.write("go", "");
    await pty.waitFor(/^ ✔ DONE[^]*─ TICKETS 1/);
    await runsView(pty);
    await pty.press("G", /▌/);
    await pty.press("\u001b[H", /▌/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
    expect(pty.main()).toMatch(/─ TICKETS|shipped/);
    expect(pty.main()).toContain("The exit code, 0, is that of run over-1");
  });

  test("that are not done are listed with what needs a person, and so is one whose journal is broken", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent("process.exit(3);");
    const batch = stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }], { limits: { attempts: 1 } });
    expect((await stage.run([batch, "--headless"])).code).toBe(1);
    record(stage.home, plumbingEnded("stopped"), { run: "cut-2", batchPath: "/work/cut.json" });
    const { stdout } = await stage.run(["runs"]);
    expect(stdout).toMatch(/\n! NEEDS YOU\n {2}test-\S+ +T-1 {2}the agent exited with code 3 .* · T-2 waits for it\n/);
    const rows = JSON.parse((await stage.run(["runs", "--json"])).stdout);
    expect(rows.find(({ name }: { name: string }) => name === "test").needs).toMatchObject([{ ticket: "T-1", blocks: ["T-2"] }]);
    const db = new DatabaseSync(stage.path("home", "loopdash.db"));
    db.exec("UPDATE journal SET at = at + 1 WHERE run = 'cut-2' AND seq = 7");
    db.close();
    expect(await stage.run(["runs"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/cut-2 +halt {2}.*journal/) });
  });

  test("one whose journal is broken says so, and leaves the exit code to the run that it was started for", async () => {
    using stage = threeRuns();
    const db = new DatabaseSync(stage.path("home", "loopdash.db"));
    db.exec("UPDATE journal SET at = at + 1 WHERE run = 'cut-2' AND seq = 7");
    db.close();
    const pty = open(stage, ["attach", "over-1"], WIDE);
    await pty.waitFor(/^ ✔ DONE/);
    await runsView(pty);
    await pty.press("\u001b[H", /▌■ stopped/);
    await pty.press("\r", /LOST[^]*journal is broken/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
    expect(pty.main()).toMatch(
      /the run cut-2 cannot be judged[^]*row 7: it was changed[^]*The exit code, 0, is that of run over-1/,
    );
  });

  test("the list is read again while it is shown: a killed engine is seen, and how to go on", async () => {
    using stage = threeRuns();
    const batch = stage.batch(["T-1"]);
    expect((await stage.run([batch, "--detach"])).code).toBe(0);
    const pty = open(stage, ["attach", "over-1"], WIDE);
    await pty.waitFor(/^ ✔ DONE/);
    await runsView(pty);
    await pty.press("\u001b[H", /▌● at work +test/);
    process.kill(enginePid(stage), "SIGKILL");
    await pty.waitFor(/▌✕ engine gone +test[^]*To continue it: loopdash .*batch\.json/);
    await pty.press("\r", /^ ✕ LOST/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
    expect(pty.main()).toMatch(/The engine of run test-\S+ is gone/);
  });
});
