import { describe, expect, test } from "vitest";
import type { KeyPress, PlayAction } from "../../../src/store/keymap/binding.ts";
import { runLabel } from "../../../src/store/labels/run-label.ts";
import { replayOf } from "../replays.ts";
import { plumbing, plumbingEnded } from "../scenes.ts";

const char = (text: string): KeyPress => ({ char: text });

describe("the keys of a replay", () => {
  test.for<[KeyPress, PlayAction]>([
    [char(" "), { type: "toggle" }],
    [char(">"), { type: "faster" }],
    [char("<"), { type: "slower" }],
    [{ key: "right" }, { type: "by", ms: 10_000 }],
    [{ key: "left" }, { type: "by", ms: -10_000 }],
    [{ key: "pagedown" }, { type: "by", ms: 60_000 }],
    [{ key: "pageup" }, { type: "by", ms: -60_000 }],
    [{ key: "home" }, { type: "to-share", share: 0 }],
    [{ key: "end" }, { type: "to-share", share: 1 }],
    [char("0"), { type: "to-share", share: 0 }],
    [char("7"), { type: "to-share", share: 0.7 }],
    [char("s"), { type: "idle" }],
  ])("%o moves it, in every view and on the summary", ([key, action]) => {
    for (const run of [plumbing(), plumbingEnded()]) {
      for (const view of ["overview", "ticket", "timeline", "runs", "oracle"] as const) {
        const { store, played, type } = replayOf(run);
        store.dispatch({ type: "view", view });
        type(key);
        expect([view, played]).toEqual([view, [action]]);
      }
    }
  });

  test("views are still reached, text is still text, and leaving asks nothing", () => {
    const { store, played, left, type } = replayOf(plumbing());
    type({ key: "tab" });
    expect(store.getState().ui.view).toBe("ticket");
    type(char(":"), char("7"), char(" "));
    expect(store.getState().ui.modal).toMatchObject({ kind: "palette", input: { text: "7 " } });
    type({ key: "escape" }, char("q"));
    expect([played, left]).toEqual([[], ["detach"]]);
  });
});

describe("a replay", () => {
  test("is never taken for a run at work or one that has ended", () => {
    for (const run of [plumbing(), plumbingEnded()]) {
      const { store } = replayOf(run);
      const state = store.getState();
      expect(runLabel(state.run, state.ui.connection, state.now).word).toBe("REPLAY");
    }
  });

  test.each(["x", "g", "r", "p", "+", "-", "o", "h", "i"])("refuses %s with a hint, and sends nothing", (key) => {
    const { store, sent, type } = replayOf(plumbing());
    type(char("j"), char(key));
    expect(sent).toEqual([]);
    expect(store.getState().ui.modal).toBeUndefined();
    expect(store.getState().ui.toast?.text).toContain("this is a replay");
  });

  test("shows the time that was then, whatever the clock of the machine says", () => {
    const run = plumbing();
    const { store } = replayOf(run, { at: run.now - 60_000 });
    store.tick(9_999_999_999_999);
    expect(store.getState().now).toBe(run.now - 60_000);
  });

  test("its messages go after a while although its time stands still", () => {
    const { store, type } = replayOf(plumbing());
    type(char("x"));
    const text = () => store.getState().ui.toast?.text;
    store.tick(5_000_000);
    store.tick(5_003_000);
    expect(text()).toContain("replay");
    store.tick(5_004_000);
    expect(text()).toBeUndefined();
  });

  test("stays with its run", () => {
    const { store, type } = replayOf(plumbing());
    store.dispatch({ type: "view", view: "runs" });
    type({ key: "enter" });
    expect(store.getState().ui.toast?.text).toContain("a replay stays with its run");
  });
});
