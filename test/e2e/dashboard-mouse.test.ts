import { appendFileSync, globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VIEWS, type ViewName } from "../../src/store/views/view-name.ts";
import { atWork, leaves, marked, recorded, recordedAndDone, selects, without } from "./mouse-scenes.ts";
import { grid, report } from "./pointer.ts";
import { terminals } from "./pty.ts";
import { Stage } from "./stage.ts";

const open = terminals();
const ESC = "\u001b";
const SMALL = { columns: 60, rows: 15 };

/** The line of a view, which names it in capitals. */
const tab = (view: ViewName): RegExp => new RegExp(`^─.* ${view.toUpperCase()} .*─$`, "m");

describe("a click on a row", { timeout: 300_000 }, () => {
  test("of the overview selects exactly that ticket, and on the selected one opens it", async () => {
    using stage = new Stage();
    const p = await recorded(open, stage);
    for (const id of ["T-6", "T-8", "T-5", "T-4", "T-11", "T-1", "T-9", "T-2", "T-10", "T-3", "T-7"])
      await p.click(new RegExp(`[▶»○·!✔] ${id} `), selects(id));
    // A worker has more than one line.
    await p.click("reviewer reads 4 fil", selects("T-6"));
    await p.click(/▶ T-6 /, /TICKET[^]* T-6 bucket lifecycle/);
  });

  test("of the overview does so on the smallest terminal", async () => {
    using stage = new Stage();
    const p = await recorded(open, stage, SMALL);
    const ids = [...p.pty.text().matchAll(/[▶»○·!✔] (T-\d+) /g)].map(([, id = ""]) => id);
    expect(ids.length).toBeGreaterThan(2);
    for (const id of ids) await p.click(new RegExp(`[▶»○·!✔] ${id} `), selects(id));
  });

  test("of the graph and the timeline selects exactly that ticket", async () => {
    using stage = new Stage();
    const p = await recorded(open, stage);
    await p.pty.press("\t\t", tab("graph"));
    for (const id of ["T-9", "T-11", "T-1", "T-10", "T-5", "T-4"]) {
      await p.click(new RegExp(`[▶»○·!✔] ${id} `), new RegExp(`▌[^\n]*\\S ${id} [^]*\n \\S ${id} `));
    }
    await p.click(/\S T-4 /, /TICKET[^]* T-4 rotate signing keys/);
    await p.click("timeline", tab("timeline"));
    for (const id of ["T-1", "T-3", "T-2", "T-7", "T-6"]) await p.click(id, new RegExp(`▌\\S ${id} [^]*\n \\S ${id} attempt`));
    await p.click("T-6", /TICKET[^]* T-6 bucket lifecycle/);
  });

  test("of the runs selects exactly that run, and on the selected one shows it", async () => {
    using stage = new Stage();
    const p = await recordedAndDone(open, stage);
    const selected = (row: RegExp) => (screen: string) => marked(screen).length === 1 && row.test(marked(screen)[0] ?? "");
    await p.pty.press("7", selected(/^✔ done .*\(here\)/));
    await p.click("✕ engine gone", selected(/^✕ engine gone /));
    await p.click("✔ done  ", selected(/^✔ done /));
    await p.click("✕ engine gone", selected(/^✕ engine gone /));
    await p.click("✕ engine gone", /^ ✕ LOST/);
  });

  test("of a ticket's attempts, and on its tabs, shows that step and that tab", async () => {
    using stage = new Stage();
    const p = await recorded(open, stage);
    await p.click(/▶ T-6 /, selects("T-6"));
    await p.click(/▶ T-6 /, "TICKET");
    for (const name of ["diff", "evidence", "cost", "prompt", "log"]) await p.click(` ${name} `, ` ${name.toUpperCase()} `);
    await p.click("✖ attempt 1  failed", /\n attempt 1 .*check tests◂[^]*▌ {2}✖ check tests/);
    await p.click("▶ attempt 2  under way", /\n attempt 2 .*agent◂[^]*▌ {2}▸ agent/);
    await p.click(/· merge(?= +│)/, /\n attempt 2 .*merge◂[^]*▌ {2}· merge/);
    await p.click(/· merge(?= +│)/, " EVIDENCE ");
  });

  test("of the palette chooses exactly that command, and gives none", async () => {
    using stage = new Stage();
    const p = await recorded(open, stage);
    const chooses = (name: string) => (screen: string) => screen.split("▌").length === 2 && screen.includes(`▌${name}  `);
    await p.pty.press(":", chooses("replay toggle"));
    for (const name of ["replay end", "events", "replay start", "replay back"])
      await p.click(new RegExp(`(?<=│ [ ▌])${name} {2}`), chooses(name));
    await p.pty.press(ESC, without("─ Command ─"));
    expect(p.pty.text()).toContain("00:45:13 of 00:45:13");
  });
});

describe("a click on a tab", { timeout: 300_000 }, () => {
  test("opens the view, from every view; between two tabs it opens none", async () => {
    using stage = new Stage();
    const p = await recordedAndDone(open, stage);
    // A key that changes nothing would be answered by the screen as it was, and may then come with the click, which is done first.
    for (const [i, from] of VIEWS.entries()) {
      if (from === "overview") continue;
      for (const to of VIEWS) {
        if (to === from) continue;
        if (!tab(from).test(p.pty.text())) await p.pty.press(String(i + 1), tab(from));
        await p.click(new RegExp(`(?<=\\d )${to} `), to === "overview" ? "─ TICKETS 9" : tab(to));
      }
    }
    await p.pty.press("6", tab("ledger"));
    await p.changesNothing(report(p.place("LEDGER")));
    for (const { column, row } of p.places(" · ").filter((place) => place.row === 2))
      await p.changesNothing(report({ column: column + 1, row }));
    await p.click("◆ ORACLE", tab("oracle"));
  });
});

describe("the wheel", { timeout: 300_000 }, () => {
  test("walks over what has rows by three, and scrolls what has lines", async () => {
    using stage = new Stage();
    const p = await recorded(open, stage, SMALL);
    await p.pty.press("jj", selects("T-7"));
    await p.turn("down", selects("T-8"));
    await p.turn("up", selects("T-7"));
    await p.turn("up", "▌! T-5");
    await p.changesNothing(report({ column: 30, row: 8 }, "wheel-up"));
    await p.pty.press("?", "─ Keys ─");
    await p.turn("down", "3 above");
    await p.turn("up", without("3 above"));
    await p.pty.press(ESC, without("─ Keys ─"));
    await p.pty.press(":", "▌replay toggle ");
    await p.turn("down", "▌replay on ");
    await p.turn("up", "▌replay toggle ");
    await p.pty.press(ESC, without("─ Command ─"));
    await p.click("◆ ORACLE", tab("oracle"));
    for (const view of ["oracle", "ledger"] as const) {
      await p.pty.press(view === "oracle" ? "" : "\t", tab(view));
      await p.turn("down", "3 lines above");
      await p.turn("up", without("lines above"));
    }
  });

  test("walks over the tickets of the summary, and scrolls a ticket's text", async () => {
    using stage = new Stage();
    const done = await recordedAndDone(open, stage, SMALL);
    await done.turn("down", "▌✔ T-1 ");
    await done.turn("up", without("▌✔ T-1 "));

    using other = new Stage();
    const p = await atWork(open, other, ["T-1"]);
    const [log = ""] = globSync("runs/*/tickets/T-1/attempt-1/agent.log", { cwd: other.home });
    appendFileSync(join(other.home, log), Array.from({ length: 50 }, (_, i) => `line ${i + 1}\n`).join(""));
    await p.pty.press("j\r", /2 TICKET[^]* line 50\n/);
    await p.turn("up", (screen) => screen.includes(" line 47\n") && !screen.includes(" line 48\n"));
    await p.turn("down", " line 50\n");
  });
});

describe("a click beside everything", { timeout: 300_000 }, () => {
  test("does nothing, in every view", async () => {
    using stage = new Stage();
    const p = await recorded(open, stage);
    await p.click(/▶ T-6 /, selects("T-6"));
    for (const text of [
      "▷ REPLAY",
      "─ AT WORK",
      "─ NEEDS",
      "─ NEXT",
      " free   T-8",
      "─ OUTCOMES",
      "↻ attempt 1: 2 of 88",
      "@ a person: kill",
      "‖ stopped",
    ])
      await p.changesNothing(report(p.place(text)));
    await p.pty.press("\t\t", tab("graph"));
    for (const text of ["★ longest", "> waits for it", " T-6  agent"]) await p.changesNothing(report(p.place(text)));
    await p.pty.press("\t", tab("timeline"));
    for (const text of [" ticket ", "━ agent", "T-6 attempt", "at work since"]) await p.changesNothing(report(p.place(text)));
    for (const view of ["oracle", "ledger"] as const) {
      await p.pty.press("\t", tab(view));
      await p.changesNothing(grid({ from: 3, to: 28 }));
    }
    await p.pty.press("\t", "Its engine is gone");
    for (const text of ["started", "Its engine is gone"]) await p.changesNothing(report(p.place(text)));
    await p.changesNothing(report({ column: 20, row: 15 }));
  });
});

describe("a click while something stands in front", { timeout: 300_000 }, () => {
  test("does not reach what is under it", async () => {
    using stage = new Stage();
    const p = await atWork(open, stage);
    await p.pty.press("j", selects("T-1"));
    const under = [p.place(/▶ T-2 /), p.place("◆ ORACLE")].map((place) => report(place)).join("");
    for (const [key, title] of [
      ["x", "End the attempt at T-1?"],
      ["g", "Leave T-1 to a person"],
      ["i", "Note an intervention"],
      ["q", "Leave the dashboard"],
      ["?", "─ Keys ─"],
      [":", "─ Command ─"],
    ] as const) {
      await p.pty.press(key, title);
      p.pty.type(grid({ from: 0, to: 28 }) + under);
      await p.pty.press(ESC, without(title));
      expect(selects("T-1")(p.pty.text()), title).toBe(true);
      expect(p.pty.text(), title).toContain("─ AT WORK");
    }
    await leaves(p.pty);
  });

  test("a field that filters lets tickets be chosen, and no view be opened", async () => {
    using stage = new Stage();
    const p = await atWork(open, stage);
    await p.pty.press("/", /\n \/█/);
    await p.click(/▶ T-2 /, selects("T-2"));
    p.pty.type(report(p.place("◆ ORACLE")) + report(p.place(/▶ T-2 /)));
    await p.pty.press("T-1", /\n \/T-1█ .*1 of 2/);
    expect(p.pty.text()).toContain("─ AT WORK");
    await p.pty.press(ESC, without("/T-1"));
    await leaves(p.pty);
  });
});
