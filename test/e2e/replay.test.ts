import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { record } from "../helpers/recorded-run.ts";
import { plumbing, plumbingEnded } from "../store/scenes.ts";
import { terminals } from "./pty.ts";
import { HONEST, Stage } from "./stage.ts";

const open = terminals();
const WIDE = { columns: 120, rows: 30 };
const [LEFT, RIGHT, PAGE_UP, PAGE_DOWN, HOME, END] = ["\u001b[D", "\u001b[C", "\u001b[5~", "\u001b[6~", "\u001b[H", "\u001b[F"];

/** How many events the journals hold. */
function rows(stage: Stage): unknown {
  const db = new DatabaseSync(stage.path("home", "loopdash.db"));
  const { n } = db.prepare("SELECT count(*) AS n FROM journal").get() ?? {};
  db.close();
  return n;
}

describe("replay", { timeout: 300_000 }, () => {
  test("of a real run: says replay, stands where it is sent, changes nothing, and leaves with exit 0", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(HONEST);
    expect((await stage.events(stage.batch(["T-1", "T-2"]))).code).toBe(0);
    const before = rows(stage);
    const pty = open(stage, ["replay", "--speed", "1000"], WIDE);
    await pty.waitFor(/^ ▷ REPLAY[^]*‖ stopped .*1000×/);
    await pty.press(HOME, /^ ▷ REPLAY[^]*‖ stopped 00:00:00/);
    await pty.press("x", "this is a replay");
    await pty.press(END, /─ TICKETS 2/);
    expect(pty.text()).toMatch(/^ ▷ REPLAY/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
    expect(rows(stage)).toBe(before);
    expect((await stage.report()).interventions.total).toBe(0);
  });

  test("its keys move it by seconds, minutes, tenths and speeds; a stopped one stands still", async () => {
    using stage = new Stage();
    record(stage.home, plumbingEnded());
    const pty = open(stage, ["replay", "--speed", "1", "--idle"], WIDE);
    await pty.waitFor(/^ ▷ REPLAY[^]*▷ playing 00:00:\d\d of 01:35:37.* 1× /);
    await pty.press(" ", "‖ stopped");
    await pty.press("5", "‖ stopped 00:47:48");
    expect(pty.text()).toContain("▶ T-7");
    await pty.press(RIGHT, "00:47:58");
    await pty.press(`${LEFT}${LEFT}`, "00:47:38");
    await pty.press(PAGE_DOWN, "00:48:38");
    await pty.press(PAGE_UP, "00:47:38");
    await pty.press(">", " 2× ");
    await pty.press(">>>>>>>>", " 1000× ");
    await pty.press("s", "idle skipped");
    await pty.press("<", " 300× ");
    await pty.press("0", "‖ stopped 00:00:00");
    expect(pty.text()).toContain("AT WORK 0 of 4");
    await pty.press(" ", /‖ stopped 01:35:37/);
    expect(pty.text()).toMatch(/^ ▷ REPLAY[^]*─ TICKETS 9/);
    await pty.press("\t", /TICKET/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
  });

  test("of a run that has not ended plays as far as it has come", async () => {
    using stage = new Stage();
    record(stage.home, plumbing());
    const pty = open(stage, ["replay"], WIDE);
    await pty.press(END, /‖ stopped 00:45:13 of 00:45:13/);
    expect(pty.text()).toMatch(/^ ▷ REPLAY[^]*▶ T-7/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
  });

  test("without a terminal prints its lines at once, and its summary", async () => {
    using stage = new Stage();
    record(stage.home, plumbingEnded("not-done"));
    const { code, stdout } = await stage.run(["replay"]);
    expect(code).toBe(0);
    expect(stdout.split("\n")[0]).toMatch(/^\d\d:\d\d:\d\d {2}· {2}● run started: 11 tickets/);
    expect(stdout).toMatch(/✖ run ended: 1 of 11 tickets is open[^]*✖ NOT DONE, says the oracle/);
  });

  test("of a broken journal: exit 3 on a terminal and without one", async () => {
    using stage = new Stage();
    record(stage.home, plumbingEnded());
    const db = new DatabaseSync(stage.path("home", "loopdash.db"));
    db.exec("DELETE FROM journal WHERE seq = 20");
    db.close();
    const pty = open(stage, ["replay"], WIDE);
    await pty.waitFor(/LOST[^]*journal is broken/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(3);
    expect(pty.main()).toContain("row 20: it is missing");
    expect(await stage.run(["replay"])).toMatchObject({ code: 3, stderr: expect.stringContaining("row 20: it is missing") });
  });
});
