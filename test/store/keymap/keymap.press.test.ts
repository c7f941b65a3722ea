import { describe, expect, test } from "vitest";
import { createDashboardStore } from "../../../src/store/dashboard-store.ts";
import { createFeed } from "../../../src/store/feed.ts";
import { refusedActions } from "../../../src/store/keymap/binding.ts";
import { KEYMAP, paste, press } from "../../../src/store/keymap/keymap.ts";
import { desk, pressesOf } from "../desk.ts";
import { plumbing, plumbingEnded } from "../scenes.ts";

test("a paste without marks is no key outside a field, and text in it; a key held down stays a key", () => {
  const d = desk(plumbing());
  d.type("xyqdps and what else\rthere is\r");
  expect(d.ui().modal).toBeUndefined();
  expect(d.sent).toEqual([]);
  d.type("jj".repeat(30));
  expect(d.ui().selected).toBeDefined();
  d.type("i");
  d.type("xyqdps and what else\rthere is");
  expect(d.ui().modal).toMatchObject({ kind: "note", input: { text: "xyqdps and what else there is" } });
});

describe("kill", () => {
  test("asks first, and y sends it", () => {
    const d = desk(plumbing());
    d.type("jjj");
    d.type("x");
    expect(d.ui().modal).toEqual({ kind: "kill", ticket: "T-6" });
    expect(d.sent).toEqual([]);
    d.type("y");
    expect(d.sent).toEqual([{ type: "kill", ticket: "T-6" }]);
    expect(d.ui().modal).toBeUndefined();
  });

  test("n and escape keep the worker", () => {
    for (const key of [{ char: "n" }, { key: "escape" as const }]) {
      const d = desk(plumbing());
      d.type("jj");
      d.type("x");
      d.press(key);
      d.type("y");
      expect(d.sent).toEqual([]);
    }
  });

  test("is never confirmed by the burst that asked for it", () => {
    const d = desk(plumbing());
    d.type("jjxy");
    expect(d.sent).toEqual([]);
    expect(d.ui().modal).toEqual({ kind: "kill", ticket: "T-7" });
  });

  test("means the selected ticket, also after the list has changed under it", () => {
    const run = plumbing();
    const d = desk(run);
    d.type("jjj");
    run.ships("T-7", 10);
    const { store } = d;
    createFeed(store, { now: () => run.now }).take({ kind: "snapshot", state: run.state, recent: [] });
    d.type("x");
    expect(d.ui().modal).toEqual({ kind: "kill", ticket: "T-6" });
  });

  test("says why it does nothing where nobody works or nothing is selected", () => {
    const d = desk(plumbing());
    d.type("x");
    expect(d.ui().toast?.text).toBe("select a worker first: j/k");
    d.type("j");
    d.type("x");
    expect(d.ui().toast?.text).toBe("nobody works on T-5 now");
    expect(d.ui().modal).toBeUndefined();
  });
});

describe("human gate", () => {
  test("asks for the exact step and sends it", () => {
    const d = desk(plumbing());
    d.type("jj");
    d.type("g");
    d.type("approve the DNS change");
    d.type("\r");
    expect(d.sent).toEqual([{ type: "gate", ticket: "T-7", step: "approve the DNS change" }]);
  });

  test("g and text that arrive together open the field and fill it", () => {
    const d = desk(plumbing());
    d.type("jjgapprove it");
    expect(d.ui().modal).toMatchObject({ kind: "gate", ticket: "T-7", input: { text: "approve it" } });
  });

  test("an unmarked paste submits nothing by itself: its line breaks are text", () => {
    const d = desk(plumbing());
    d.type("jj");
    d.type("gone\rtwo\r");
    expect(d.sent).toEqual([]);
    expect(d.ui().modal).toMatchObject({ input: { text: "one two" } });
  });

  test("a marked paste is one line of text, and nothing outside of a field", () => {
    const d = desk(plumbing());
    d.type("jj");
    paste(d.store, "xy\n");
    expect(d.ui().modal).toBeUndefined();
    d.type("g");
    paste(d.store, "first\nsecond\u001b[31m");
    expect(d.ui().modal).toMatchObject({ input: { text: "first second" } });
  });

  test("letters that are keys elsewhere are letters in the field", () => {
    const d = desk(plumbing());
    d.type("jj");
    d.type("g");
    d.type("q?xpoyn");
    expect(d.ui().modal).toMatchObject({ input: { text: "q?xpoyn" } });
  });

  test("an empty step is not sent but explained", () => {
    const d = desk(plumbing());
    d.type("jj");
    d.type("g");
    d.type("   ");
    d.type("\r");
    expect(d.sent).toEqual([]);
    expect(d.ui().modal).toMatchObject({ problem: "say the exact step that is left" });
  });

  test("what is settled already needs none", () => {
    const d = desk(plumbing());
    d.type("n");
    d.type("g");
    expect(d.ui().toast?.text).toBe("T-5 is human-gated already");
  });
});

describe("pause and oracle", () => {
  test("p pauses a run, and a paused one goes on", () => {
    const run = plumbing();
    const d = desk(run);
    d.type("p");
    run.play({ type: "run-paused" });
    const paused = desk(run);
    paused.type("p");
    expect([...d.sent, ...paused.sent]).toEqual([{ type: "pause" }, { type: "unpause" }]);
  });

  test("o asks the oracle now", () => {
    const d = desk(plumbing());
    d.type("o");
    expect(d.sent).toEqual([{ type: "judge" }]);
  });

  test("no command is sent into a lost connection", () => {
    const d = desk(plumbing());
    d.store.dispatch({ type: "connection", connection: { state: "lost", reason: "closed" } });
    d.type("jjpo");
    d.type("x");
    expect(d.sent).toEqual([]);
    expect(d.ui().toast?.text).toBe("not connected to the run");
    d.type("q");
    expect(d.left).toEqual(["detach"]);
  });
});

test("a command that cannot be sent any more says why, and keeps what was asked and written", () => {
  const run = plumbing();
  const store = createDashboardStore({ now: run.now, actions: refusedActions("the line is cut") });
  createFeed(store, { now: () => run.now }).take({ kind: "snapshot", state: run.state, recent: [] });
  const type = (...bursts: readonly string[]) => {
    for (const burst of bursts) press(store, pressesOf(burst), { leave: () => undefined });
  };
  type("jjj", "x", "y");
  expect(store.getState().ui).toMatchObject({ modal: { kind: "kill", ticket: "T-6" }, toast: { text: "the line is cut" } });
  type("n", "g", "approve it", "\r");
  expect(store.getState().ui.modal).toMatchObject({ kind: "gate", input: { text: "approve it" } });
  store.dispatch({ type: "open", modal: { kind: "leave" } });
  type("s");
  expect(store.getState().ui).toMatchObject({ modal: { kind: "leave" }, stopAsked: false });
  store.dispatch({ type: "close" });
  type("o");
  expect(store.getState().ui.toast?.text).toBe("the line is cut");
});

describe("leaving", () => {
  test("q asks how; d detaches", () => {
    const d = desk(plumbing());
    d.type("q");
    expect(d.left).toEqual([]);
    d.type("d");
    expect(d.left).toEqual(["detach"]);
    expect(d.sent).toEqual([]);
  });

  test("s stops the run and stays to see it end", () => {
    const d = desk(plumbing());
    d.type("q");
    d.type("s");
    expect(d.sent).toEqual([{ type: "stop" }]);
    expect(d.left).toEqual([]);
    expect(d.ui().stopAsked).toBe(true);
  });

  test("a burst never stops a run", () => {
    const d = desk(plumbing());
    d.type("qs");
    expect(d.sent).toEqual([]);
  });

  test("the first Ctrl-C asks, also from within a dialog; the second detaches", () => {
    const d = desk(plumbing());
    d.type("jj");
    d.type("g");
    d.press({ key: "ctrl-c" });
    expect(d.ui().modal).toEqual({ kind: "leave" });
    d.press({ key: "ctrl-c" });
    expect(d.left).toEqual(["detach"]);
  });

  test("an ended run is left at once", () => {
    for (const key of [{ char: "q" }, { key: "ctrl-c" as const }]) {
      const d = desk(plumbingEnded());
      d.press(key);
      expect(d.left).toEqual(["ended"]);
    }
  });

  test("an ended run takes no commands", () => {
    const d = desk(plumbingEnded());
    d.type("jjxpog");
    expect(d.sent).toEqual([]);
  });

  test("in a terminal too small to see anything, only leaving is left", () => {
    const d = desk(plumbing());
    d.store.dispatch({ type: "size", tooSmall: true });
    d.type("jjxp");
    d.type("y");
    expect(d.sent).toEqual([]);
    d.type("q");
    expect(d.left).toEqual(["detach"]);
  });
});

test("what would confirm something is kept from the burst that wrote it, too", () => {
  const d = desk(plumbing());
  d.type("jj");
  d.type("g");
  d.type("approve it\r");
  expect(d.sent).toEqual([]);
  d.type("\r");
  expect(d.sent).toEqual([{ type: "gate", ticket: "T-7", step: "approve it" }]);
});

test("no key means two things in one mode", () => {
  for (const [mode, bindings] of Object.entries(KEYMAP)) {
    const keys = bindings.flatMap((b) => b.keys);
    expect(new Set(keys).size, mode).toBe(keys.length);
  }
});
