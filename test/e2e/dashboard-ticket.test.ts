import { appendFileSync, globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { patientAgent } from "./actors.ts";
import { terminals } from "./pty.ts";
import { Stage } from "./stage.ts";

const open = terminals();
const ESC = "\u001b";

function patientStage(): Stage {
  const stage = new Stage();
  stage.repo("app");
  patientAgent(stage);
  return stage;
}

describe("a ticket on a terminal", { timeout: 300_000 }, () => {
  test("is opened while it is worked on: its log lives, its change is unknown; then it is seen, as it landed and as it failed", async () => {
    using stage = patientStage();
    const check = { step: "check", name: "never", command: ["/bin/sh", "-c", "echo 2 of 214 fail; exit 1"] };
    const batch = stage.batch(["T-1", { id: "T-2", finish: [check, { step: "merge" }] }], { limits: { attempts: 1 } });
    const pty = open(stage, [batch], { columns: 120, rows: 30 });
    await pty.waitFor(/READY T-1[^]*READY T-2/);
    await pty.press("j", /▌▶ T-1/);
    await pty.press("\r", /2 TICKET[^]*ATTEMPTS 1[^]*│ READY T-1/);
    expect(pty.isWhole()).toBe(true);
    const [log = ""] = globSync("runs/*/tickets/T-1/attempt-1/agent.log", { cwd: stage.home });
    appendFileSync(join(stage.home, log), "and a line more\n");
    await pty.waitFor(/│ READY T-1[^]*│ and a line more/);
    await pty.press("d", "unknown until the agent has stopped and its change is captured");
    await pty.press("P", /│ .*Do T-1/);
    await pty.press("c", "set aside until it has ended");
    await pty.press("l", "and a line more");
    await pty.press("/", "/█");
    await pty.press("line", "in 1 line: line");
    await pty.press("\r", "in 1 line, this is 1: line");

    stage.write("go", "");
    await pty.waitFor(/done: [0-9a-f]{7}[^]*✔ attempt 1 {2}shipped/);
    await pty.press("d", /│ \+done/);
    await pty.press("K", /T-2 Do T-2/);
    await pty.waitFor(/✖ attempt 1 {2}failed/);
    await pty.waitFor(/│ \+\+\+ b\/T-2.txt[^]*│ \+done/);
    await pty.press("\r", /never, attempt 1: failed[^]*── check-never.log ──[^]*│ 2 of 214 fail/);
    expect(pty.isWhole()).toBe(true);
    await pty.press(ESC, /✖ NOT DONE/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(1);
  });

  test("is read on the smallest terminal, and through resizes", async () => {
    using stage = patientStage();
    const pty = open(stage, [stage.batch(["T-1"])], { columns: 60, rows: 15 });
    await pty.waitFor("▶ T-1");
    await pty.press("j", /▌▶ T-1/);
    await pty.press("\r", /2 TICKET[^]*▶ attempt 1[^]*LOG[^]*\n READY T-1/);
    for (const size of [
      { columns: 120, rows: 40 },
      { columns: 61, rows: 15 },
      { columns: 100, rows: 15 },
    ]) {
      pty.resize(size);
      await pty.settled();
      await pty.waitFor("READY T-1");
    }
    // More than 16 characters at once are a paste, which types nothing.
    await pty.press("jjjjkkkkGww[", "first attempt");
    await pty.press("vvnN[]sSff", "newest attempt");
    stage.write("go", "");
    await pty.waitFor(/^ ✔ DONE/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
  });
});
