import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { longRun, record } from "../helpers/recorded-run.ts";
import { plumbingEnded } from "../store/scenes.ts";
import { agentPid, enginePid, isAlive, patientAgent, until } from "./actors.ts";
import { type Pty, terminals } from "./pty.ts";
import { pidsUnder, Stage } from "./stage.ts";

const open = terminals();
/** What reading 200,000 events may take on a machine that is busy with other things. Milliseconds. */
const LONG_MS = 300_000;

/** Whether a terminal was ever shown this, in any frame. */
const everShown = (pty: Pty, text: string): boolean => pty.raw.includes(text);

async function leave(pty: Pty): Promise<number> {
  pty.type("q");
  return pty.exitCode();
}

function sql(stage: Stage, statement: string, ...values: string[]): void {
  const db = new DatabaseSync(stage.path("home", "loopdash.db"));
  db.prepare(statement).run(...values);
  db.close();
}

describe("attaching to a run of 200,000 events that has ended", { timeout: 400_000 }, () => {
  test("reads its journal once, showing how far it is; from then on its first frame waits for none of it", async () => {
    using stage = new Stage();
    record(stage.home, longRun({ events: 200_000 }), { kept: false });
    const first = open(stage, ["attach"]);
    await first.waitFor(/READING[^]*reading the journal: [\d,]+ of 200,000 events/, LONG_MS);
    await first.waitFor(/^ ✖ NOT DONE/, LONG_MS);
    expect(await leave(first)).toBe(1);

    const second = open(stage, ["attach"]);
    await second.waitFor(/^ ✖ NOT DONE/);
    expect(everShown(second, "reading the journal")).toBe(false);
    // The exit code is by the journal all the same, which was read behind the frame.
    second.type("q");
    expect(await second.exitCode(LONG_MS)).toBe(1);
    expect(second.main()).toContain("NOT DONE, says the oracle");
  });
});

describe("what is kept beside the journal", { timeout: 300_000 }, () => {
  /** A run that is not done, as a dashboard has left it that has looked at it once. */
  async function looked(stage: Stage, run = plumbingEnded("not-done")): Promise<void> {
    record(stage.home, run, { kept: false });
    const pty = open(stage, ["attach"]);
    await pty.waitFor(/^ ✖ NOT DONE/);
    expect(await leave(pty)).toBe(1);
  }

  const LIE = `replace(replace(text, '"verdict":"not-done"', '"verdict":"done"'), '"kind":"not-done"', '"kind":"oracle-done"')`;

  test("is passed over where it was changed: nobody is ever told done", async () => {
    using stage = new Stage();
    await looked(stage);
    sql(stage, `UPDATE kept_states SET text = ${LIE}`);
    const pty = open(stage, ["attach"]);
    await pty.waitFor(/^ ✖ NOT DONE/);
    expect(await leave(pty)).toBe(1);
    expect(everShown(pty, "✔ DONE")).toBe(false);
  });

  test("decides nothing, even where it was changed with all that proves it: screen and exit code are the journal's", async () => {
    using stage = new Stage();
    await looked(stage);
    const db = new DatabaseSync(stage.path("home", "loopdash.db"));
    db.exec(`UPDATE kept_states SET text = ${LIE}`);
    const { run, seq, row_hash: row, text } = db.prepare("SELECT * FROM kept_states").get() as Record<string, string>;
    expect(text).toContain('"kind":"oracle-done"');
    db.prepare("UPDATE kept_states SET sum = ?").run(hash("sha256", `${run}|${seq}|${row}|${text}`));
    db.close();
    const pty = open(stage, ["attach"]);
    await pty.waitFor(/^ ✖ NOT DONE/);
    expect(await leave(pty)).toBe(1);
    expect(pty.main()).toContain("NOT DONE, says the oracle");
  });

  test("hides no broken journal: exit 3, and nothing of the run stays on the screen", async () => {
    using stage = new Stage();
    // The changed row lies before all that the first frame is made from.
    await looked(stage, longRun({ events: 4_000 }));
    sql(stage, "UPDATE journal SET at = at + 1 WHERE seq = 7");
    const pty = open(stage, ["attach"]);
    const screen = await pty.waitFor(/LOST[^]*journal is broken/);
    expect(screen).not.toContain("NOT DONE");
    expect(await leave(pty)).toBe(3);
    expect(pty.main()).toMatch(/cannot be judged[^]*row 7: it was changed/);
  });
});

describe("many terminals", { timeout: 300_000 }, () => {
  test("watch one run, started without any; closing one of them, in any way, hurts neither it nor the others", async () => {
    using stage = new Stage();
    stage.repo("app");
    patientAgent(stage);
    const started = await stage.run([stage.batch(["T-1"]), "--detach"]);
    expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining("nothing is judged yet") });
    const run = started.stdout.trim();
    const watching = Array.from({ length: 5 }, () => open(stage, ["attach", run]));
    await Promise.all(watching.map((pty) => pty.waitFor("READY T-1")));
    const [killed, hungUp, left, ...stay] = watching as [Pty, Pty, Pty, ...Pty[]];
    process.kill(killed.pid, "SIGKILL");
    hungUp.hangUp();
    await left.press("q", "the run continues");
    left.type("d");
    expect(await left.exitCode()).toBe(130);
    await until(() => !isAlive(killed.pid) && !isAlive(hungUp.pid), "two dashboards end");
    expect([isAlive(enginePid(stage)), isAlive(agentPid(stage, "T-1"))]).toEqual([true, true]);

    await stay[0]?.press("p", /^ \S+ PAUSED/);
    await stay[1]?.waitFor(/^ \S+ PAUSED/);
    await stay[1]?.press("p", /^ ● RUNNING/);
    stage.write("go", "");
    for (const pty of stay) {
      await pty.waitFor(/^ ✔ DONE/);
      expect(await leave(pty)).toBe(0);
    }
    await until(() => pidsUnder(stage.root).length === 0, "nothing left running");
  });

  test("a run whose engine is gone says so and how to go on; it comes back by itself when that is done elsewhere", async () => {
    using stage = new Stage();
    stage.repo("app");
    patientAgent(stage);
    const batch = stage.batch(["T-1"]);
    expect((await stage.run([batch, "--detach"])).code).toBe(0);
    await until(() => stage.everything().includes("agent-started"), "an agent at work");
    process.kill(enginePid(stage), "SIGKILL");
    await until(() => pidsUnder(stage.root).length === 0 || !isAlive(enginePid(stage)), "the engine ends");

    const pty = open(stage, ["attach"], { columns: 100 });
    const screen = await pty.waitFor(/LOST[^]*T-1[^]*engine is gone/);
    expect(screen.split("\n").at(-1)).toMatch(/connection lost: the engine is gone; start its batch file again · q leave/);
    expect((await stage.run([batch, "--detach"])).code).toBe(0);
    await pty.waitFor(/^ ● RUNNING[^]*READY T-1/);
    stage.write("go", "");
    await pty.waitFor(/^ ✔ DONE/);
    expect(await leave(pty)).toBe(0);
  });
});
