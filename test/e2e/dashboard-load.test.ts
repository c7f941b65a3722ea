import { describe, expect, test } from "vitest";
import { stageEngine } from "../../bench/dashboard/staged.ts";
import { type Pty, terminals } from "./pty.ts";
import { Stage } from "./stage.ts";

const open = terminals();
const MANY = { tickets: 500, workers: 64, events: 0, ended: false } as const;

/** The row of the screen that the selection stands on. */
function selected(pty: Pty): string {
  return pty.lines().find((line) => line.startsWith("▌")) ?? "";
}

describe("64 agents that print 20 lines a second each, of 500 tickets", { timeout: 300_000 }, () => {
  test("are all seen where there is room, and keys work while they talk", async () => {
    using stage = new Stage();
    await using engine = await stageEngine({ home: stage.home, cwd: stage.root, ...MANY });
    engine.talk(20);
    const pty = open(stage, ["attach"], { columns: 200, rows: 80 });
    await pty.waitFor(/AT WORK 64 of 64[^]*CORE-64 .*"\d+ /);
    expect(pty.lines().filter((line) => /^.▶ CORE-\d+ .*"\d+ .*│/.test(line))).toHaveLength(64);
    expect(pty.text()).toContain("NEXT 436");
    const before = pty.text();
    await pty.press("jjjj", () => selected(pty).includes("CORE-4 "));
    await pty.press("k", () => selected(pty).includes("CORE-3 "));
    await pty.waitFor((screen) => /CORE-64 .*/.exec(screen)?.[0] !== /CORE-64 .*/.exec(before)?.[0]);
    expect(pty.isWhole()).toBe(true);
    await pty.press("q", "Leave the dashboard");
    pty.type("d");
    expect(await pty.exitCode()).toBe(130);
    expect(pty.main()).toContain("The run continues without this dashboard.");
  });

  test("stay within every size that the terminal is given meanwhile", async () => {
    using stage = new Stage();
    await using engine = await stageEngine({ home: stage.home, cwd: stage.root, ...MANY });
    engine.talk(20);
    const pty = open(stage, ["attach"], { columns: 120, rows: 30 });
    await pty.waitFor(/AT WORK 64 of 64/);
    for (const [columns, rows] of [
      [60, 15],
      [300, 80],
      [80, 24],
      [61, 50],
      [120, 30],
    ] as const) {
      pty.resize({ columns, rows });
      pty.type("j");
      await pty.settled();
      expect(pty.text()).toMatch(/\+\d+ more|CORE-64/);
    }
    await pty.press("q", "Leave the dashboard");
    pty.type("d");
    expect(await pty.exitCode()).toBe(130);
  });
});
