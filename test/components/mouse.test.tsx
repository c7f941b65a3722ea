import { describe, expect, test } from "vitest";
import { crowd, plumbing } from "../store/scenes.ts";
import { at, clickOn, ESC, WHEEL, WHEEL_DOWN } from "./clicks.ts";
import { mount } from "./mount.tsx";
import { SIZES } from "./shot.ts";

describe("a click", () => {
  test.each(SIZES)("on any ticket of the screen at %i×%i selects that ticket", async (columns, rows) => {
    await using m = await mount(crowd({ tickets: 60, workers: 5 }), columns, rows);
    const ids = [...(await m.stage.terminal.text()).matchAll(/[▶○·] (CORE-\d+) /g)].map(([, id = ""]) => id);
    expect(ids.length).toBeGreaterThan(3);
    for (const id of ids) {
      m.stage.keyboard.press(await clickOn(m, new RegExp(`[▶○·] ${id} `)));
      await m.stage.shows("▌");
      expect(m.store.getState().ui.selected, id).toBe(id);
    }
  });

  test("on each line of a worker selects it, and on the selected opens it", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press(await clickOn(m, "reviewer reads 4 fil"), "▌▶ T-6");
    await m.stage.press(await clickOn(m, "▶ T-6 "), "2 TICKET");
    await m.stage.press(await clickOn(m, "3 graph"), "3 GRAPH");
    await m.stage.press(await clickOn(m, "1 overview"), "AT WORK");
  });

  test("on a key of the last line does what the key does", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press(await clickOn(m, "p pause"), "j/k select");
    await m.stage.press(await clickOn(m, "? help"), "Keys");
    await m.stage.press(await clickOn(m, "esc back"), "j/k select");
    expect(m.stage.sent).toEqual([{ type: "pause" }]);
  });

  test("on a row of the palette chooses it", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press(":", "Command");
    await m.stage.press(await clickOn(m, "more workers"), "▌more workers");
    expect(m.stage.sent).toEqual([]);
  });

  test("beside everything does nothing, and behind a dialog neither", async () => {
    await using m = await mount(plumbing(), 120, 30);
    const { ui } = m.store.getState();
    for (const [column, row] of [
      [0, 0],
      [119, 0],
      [3, 2],
      [40, 28],
      [500, 500],
      [500, 1],
      [500, 5],
      [5, 500],
    ] as const)
      m.stage.keyboard.press(at(column, row));
    m.stage.keyboard.press(at(500, 5, WHEEL_DOWN));
    await m.stage.press("jj", "▌▶ T-7");
    expect({ ...m.store.getState().ui, selected: undefined, place: 0 }).toEqual({ ...ui, selected: undefined, place: 0 });
    await m.stage.press("x", "End the attempt at T-7?");
    m.stage.keyboard.press(await clickOn(m, "T-5 "));
    m.stage.keyboard.press(await clickOn(m, "y kill   n keep"));
    await m.stage.press(await clickOn(m, /y kill {2}n keep/), "press y for that");
    expect(m.stage.sent).toEqual([]);
    expect(m.store.getState().ui.selected).toBe("T-7");
  });
});

describe("a field that filters", () => {
  test("lets tickets be chosen, and no view be opened under it", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press("/", " /█");
    await m.stage.press(await clickOn(m, "▶ T-6 "), "▌▶ T-6");
    m.stage.keyboard.press(await clickOn(m, "◆ ORACLE"));
    await m.stage.press("T-6", " /T-6█");
    expect(m.store.getState().ui).toMatchObject({ view: "overview", selected: "T-6" });
  });
});

describe("the wheel", () => {
  test("moves the selection, and scrolls the help", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press(WHEEL.down, "▌▶ T-6");
    await m.stage.press(WHEEL.up, "▌! T-5");
    await m.stage.press("?", "Keys");
    await m.stage.press(WHEEL.down, "3 above");
  });
});

describe("text that looks like a mouse", () => {
  test("pasted with and without marks, whole and in halves, confirms nothing and presses no key", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press("jj", "▌▶ T-7");
    await m.stage.press("x", "End the attempt at T-7?");
    const lines = await m.stage.terminal.lines();
    const row = lines.length - 1;
    const yes = (lines[row] ?? "").indexOf("y kill");
    const report = at(yes, row);
    for (const text of [report, `${ESC}[200~${report}${ESC}[201~`, report.repeat(5), report.replace("M", "m")])
      m.stage.keyboard.press(text);
    // What has lost its escape is typed: letters and digits that mean nothing here, and no y among them.
    m.stage.keyboard.press(report.slice(1));
    await m.stage.press("n", "AT WORK");
    await m.stage.hides("End the attempt");
    expect(m.stage.sent).toEqual([]);
    expect(m.stage.left).toEqual([]);
    expect(m.store.getState().ui).toMatchObject({ view: "overview", selected: "T-7" });
  });

  test("is text in a field where it is more than that", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press("jj", "▌▶ T-7");
    await m.stage.press("g", "Which exact step");
    await m.stage.press("see [<0;10;5M of the log", "see [<0;10;5M of the log█");
  });
});
