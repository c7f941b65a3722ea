import { beforeAll, describe, expect, test } from "vitest";
import { RunId, TicketId } from "../../src/domain/values/ids.ts";
import type { ViewName } from "../../src/store/views/view-name.ts";
import { earlierRuns } from "../report/pages.ts";
import { START } from "../store/run-builder.ts";
import { crowd, finishCrowd, plumbing, plumbingEnded } from "../store/scenes.ts";
import { at, clickOn, WHEEL } from "./clicks.ts";
import { type Mounted, mount } from "./mount.tsx";
import { SIZES } from "./shot.ts";
import { until } from "./stage.ts";
import { branches } from "./views/graph/branches.ts";
import { FakeFile } from "./views/ticket/view-stage.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

const selected = (m: Mounted) => m.store.getState().ui.selected;

async function inView(m: Mounted, view: ViewName): Promise<void> {
  m.store.dispatch({ type: "view", view });
  await m.stage.shows(view.toUpperCase());
}

/** The ids that stand in the lines above what is told of the selected ticket, each once. */
async function idsAbove(m: Mounted, mark: RegExp, options: RegExp): Promise<readonly string[]> {
  const lines = await m.stage.terminal.lines();
  const end = lines.findIndex((line) => mark.test(line));
  return [...new Set(lines.slice(3, end < 0 ? undefined : end).flatMap((line) => line.match(options)?.slice(0, 1) ?? []))];
}

describe("a click in the graph", () => {
  test.each(SIZES)("selects each ticket that stands there, at %i×%i", async (columns, rows) => {
    for (const run of [branches(), crowd({ tickets: 500, workers: 64 })]) {
      await using m = await mount(run, columns, rows);
      await inView(m, "graph");
      const ids = await idsAbove(m, /longest way ahead/, /\b(?:P|CORE)-\d+(?![-\w])/g);
      expect(ids.length).toBeGreaterThan(2);
      for (const id of ids.slice(0, 12)) {
        // The page may have turned.
        const there = new RegExp(`(?<=[✔▶·○!✖»] )${id}(?![-\\w])`, "g");
        if ((await idsAbove(m, /longest way ahead/, there)).length === 0) continue;
        m.stage.keyboard.press(await clickOn(m, new RegExp(there, "")));
        await until(() => selected(m) === id);
        await m.stage.shows("▌");
      }
      await m.stage.press(await clickOn(m, new RegExp(`(?<=[✔▶·○!✖»] )${selected(m)}(?![-\\w])`)), "2 TICKET");
    }
  });

  test.each(SIZES)("does so on every page, at %i×%i", async (columns, rows) => {
    for (const [run, last] of [
      [branches(), "P-7"],
      [crowd({ tickets: 500, workers: 64 }), "CORE-500"],
    ] as const) {
      await using m = await mount(run, columns, rows);
      m.store.dispatch({ type: "select", ticket: TicketId.parse(last) });
      await inView(m, "graph");
      const ids = await idsAbove(m, /longest way ahead/, /\b[A-Z]+-\d+(?![-\w])/g);
      const first = ids.find((id) => id !== last) ?? "";
      m.stage.keyboard.press(await clickOn(m, new RegExp(`(?<=[✔▶·○!✖»] )${first}(?![-\\w])`)));
      await until(() => selected(m) !== last);
      expect(selected(m)).toBe(first);
    }
  });

  test("beside the tickets selects none", async () => {
    await using m = await mount(branches(), 120, 30);
    await inView(m, "graph");
    const lines = await m.stage.terminal.lines();
    const legend = lines.findIndex((line) => line.includes("longest way"));
    for (const [column, row] of [
      [5, legend - 1],
      [5, legend],
      [5, legend + 1],
    ] as const)
      m.stage.keyboard.press(at(column, row));
    await m.stage.press("j", "▌");
    expect(selected(m)).toBe("P-1");
  });
});

describe("a click in the timeline", () => {
  test.each(SIZES)("selects the ticket of each row, at %i×%i, and beside the rows none", async (columns, rows) => {
    for (const run of [plumbing(), finishCrowd()]) {
      await using m = await mount(run, columns, rows);
      await inView(m, "timeline");
      const ids = await idsAbove(m, /━ agent/, /(?<=^[ ▌]\S )(?:T|CORE)-\d+\b/g);
      expect(ids.length).toBeGreaterThan(1);
      m.stage.keyboard.press(at(5, 3));
      for (const id of ids.slice(0, 8)) {
        m.stage.keyboard.press(await clickOn(m, new RegExp(`\\b${id}\\b`)));
        await until(() => selected(m) === id);
        await m.stage.shows("▌");
      }
    }
  });
});

const RUNS = Array.from({ length: 60 }, (_, i) => ({
  run: RunId.parse(`old-${i}-end`),
  name: `run ${i}`,
  batchPath: "/work/batch.json",
  standing: "ended" as const,
  startedAt: START - i * 3_600_000,
}));

describe("a click in the list of runs", () => {
  test.each(SIZES)("selects a run, and shows the one that is selected, at %i×%i", async (columns, rows) => {
    await using m = await mount(plumbing(), columns, rows);
    m.store.setState({ runList: RUNS });
    await inView(m, "runs");
    await m.stage.press(await clickOn(m, "run 4 "), "old-4-end");
    await m.stage.press("\u001b[F", "old-59-end");
    await m.stage.press(await clickOn(m, "run 58 "), "old-58-end");
    m.stage.keyboard.press(await clickOn(m, "name"));
    m.stage.keyboard.press(await clickOn(m, "above"));
    m.stage.keyboard.press(await clickOn(m, "run 58 "));
    await until(() => m.stage.switched.length > 0);
    expect(m.stage.switched).toEqual(["old-58-end"]);
  });
});

describe("a click in the ticket view", () => {
  test.each(SIZES)("shows each tab, at %i×%i", async (columns, rows) => {
    await using m = await mount(plumbing(), columns, rows);
    m.store.dispatch({ type: "select", ticket: TicketId.parse("T-6") });
    await inView(m, "ticket");
    for (const tab of ["diff", "evidence", "cost", "prompt", "log"]) {
      await m.stage.press(await clickOn(m, ` ${tab} `), ` ${tab.toUpperCase()} `);
      expect(m.store.getState().ui.ticket.tab).toBe(tab);
    }
  });

  test.each(SIZES)("chooses a try, at %i×%i", async (columns, rows) => {
    await using m = await mount(plumbing(), columns, rows);
    m.store.dispatch({ type: "select", ticket: TicketId.parse("T-6") });
    await inView(m, "ticket");
    const tries = rows >= 24;
    if (!tries) return void (await m.stage.shows("attempt 2 of 2"));
    await m.stage.press(await clickOn(m, "attempt 1  failed"), " attempt 1   »");
    expect(m.store.getState().ui.ticket.pick).toEqual({ ticket: "T-6", n: 1 });
    await m.stage.press(await clickOn(m, "attempt 2  under way"), " attempt 2   ▸");
    expect(m.store.getState().ui.ticket.pick).toEqual({ ticket: "T-6" });
  });

  test("chooses a step, and on the chosen one shows its evidence", async () => {
    await using m = await mount(plumbing(), 120, 30);
    m.store.dispatch({ type: "select", ticket: TicketId.parse("T-6") });
    await inView(m, "ticket");
    await m.stage.press(await clickOn(m, /merge {3}/), "merge◂");
    expect(m.store.getState().ui.ticket).toMatchObject({ tab: "log", pick: { ticket: "T-6" } });
    await m.stage.press(await clickOn(m, /merge {3}/), " EVIDENCE ");
    const { pick } = m.store.getState().ui.ticket;
    for (const [column, row] of [
      [5, 3],
      [5, 5],
      [5, 27],
      [60, 12],
      [119, 6],
    ] as const)
      m.stage.keyboard.press(at(column, row));
    await m.stage.press("l", " LOG ");
    expect(m.store.getState().ui.ticket.pick).toEqual(pick);
  });
});

describe("a click in the summary", () => {
  test.each(SIZES)("marks the step that it is on, which a key copies, at %i×%i", async (columns, rows) => {
    await using m = await mount(plumbingEnded("done"), columns, rows);
    m.store.setState({ earlier: { run: m.store.getState().run?.run as RunId, runs: earlierRuns() } });
    await m.stage.shows("▸! T-5");
    await m.stage.press(await clickOn(m, "unlock the state"), "▌! T-10");
    await m.stage.press(await clickOn(m, "approve the DNS"), "▌! T-5");
    // All lines of a step are it, and a click on what is selected opens it.
    if (columns < 80) {
      await m.stage.press(await clickOn(m, /^ {8,}[A-Za-z]/), "point the registrar");
      await m.stage.press("\u001b", "▌! T-5");
    }
    const now = m.store.getState().ui;
    m.stage.keyboard.press(await clickOn(m, "YOURS NOW"));
    m.stage.keyboard.press(at(3, 2));
    m.stage.keyboard.press(at(3, rows - 2));
    await m.stage.press("?", "Keys");
    expect(m.store.getState().ui.selected).toBe(now.selected);
  });

  test("scrolled to its end finds the tickets that are still in sight", async () => {
    await using m = await mount(plumbingEnded("done"), 80, 24);
    m.store.setState({ earlier: { run: m.store.getState().run?.run as RunId, runs: earlierRuns() } });
    await m.stage.press("G", "lines above · end");
    m.stage.keyboard.press(await clickOn(m, "─ COMMANDS"));
    await m.stage.press("?", "Keys");
    expect(selected(m)).toBeUndefined();
    await m.stage.press("\u001b", "─ COMMANDS");
    await m.stage.press(await clickOn(m, "✔ T-9 "), "▌✔ T-9 ");
  });
});

describe("the wheel", () => {
  test.each<ViewName>(["overview", "graph", "timeline"])("walks over the tickets in the %s", async (view) => {
    await using m = await mount(crowd({ tickets: 60, workers: 5 }), 80, 24);
    if (view !== "overview") await inView(m, view);
    m.stage.keyboard.press("j");
    await until(() => selected(m) !== undefined);
    const first = selected(m);
    m.stage.keyboard.press(WHEEL.down);
    await until(() => selected(m) !== first);
    m.stage.keyboard.press(WHEEL.up);
    await until(() => selected(m) === first);
  });

  test.each<ViewName>(["oracle", "ledger"])("scrolls the %s", async (view) => {
    await using m = await mount(plumbing(), 60, 15);
    await inView(m, view);
    await m.stage.press(WHEEL.down, "3 lines above");
    m.stage.keyboard.press(WHEEL.up);
    await m.stage.hides("lines above");
  });

  test("scrolls the text of a ticket, and walks over the tickets of a summary", async () => {
    await using m = await mount(plumbing(), 80, 24);
    m.store.dispatch({ type: "select", ticket: TicketId.parse("T-6") });
    await inView(m, "ticket");
    new FakeFile(m.store).write(Array.from({ length: 50 }, (_, i) => `line ${i + 1}\n`).join(""));
    await m.stage.shows("line 50");
    await m.stage.press(WHEEL.up, " line 47");
    await m.stage.hides(" line 48");
    await m.stage.press(WHEEL.down, " line 50");
    await using ended = await mount(plumbingEnded("done"), 60, 15);
    await ended.stage.press(WHEEL.down, "▌✔ T-1 ");
  });

  test("goes over the runs", async () => {
    await using m = await mount(plumbing(), 80, 24);
    m.store.setState({ runList: RUNS });
    await inView(m, "runs");
    await m.stage.press(WHEEL.down, "old-3-end");
    await m.stage.press(WHEEL.up, "old-0-end");
  });
});
