import { describe, expect, test } from "vitest";
import { TicketId } from "../../src/domain/values/ids.ts";
import { EMPTY_INPUT } from "../../src/store/text-input.ts";
import { INITIAL_UI, reduceUi, type UiAction, type UiState } from "../../src/store/ui.ts";
import type { PaneAction } from "../../src/store/views/pane.ts";

const ids = (...names: readonly string[]) => names.map((n) => TicketId.parse(n));
const T2 = TicketId.parse("T-2");
const after = (start: UiState, ...actions: readonly UiAction[]): UiState => actions.reduce(reduceUi, start);
const move = (by: number, order: readonly TicketId[]): UiAction => ({ type: "move", by, order });

describe("selection", () => {
  const order = ids("T-1", "T-2", "T-3", "T-4");

  test("begins with the first, whichever way the first step goes", () => {
    expect(after(INITIAL_UI, move(1, order)).selected).toBe("T-1");
    expect(after(INITIAL_UI, move(-1, order)).selected).toBe("T-1");
  });

  test("stops at both ends", () => {
    expect(after(INITIAL_UI, move(1, order), move(10, order)).selected).toBe("T-4");
    expect(after(INITIAL_UI, move(1, order), move(-10, order)).selected).toBe("T-1");
  });

  test("goes with its ticket when the list is reordered", () => {
    const ui = after(INITIAL_UI, move(1, order), move(1, order));
    expect(ui.selected).toBe("T-2");
    expect(after(ui, move(1, ids("T-4", "T-2", "T-1", "T-3"))).selected).toBe("T-1");
  });

  test("never jumps to another ticket by itself, and goes on where it stood once its own is gone", () => {
    const ui = after(INITIAL_UI, move(1, order), move(2, order));
    expect(ui.selected).toBe("T-3");
    expect(after(ui, move(1, ids("T-1", "T-2", "T-4"))).selected).toBe("T-4");
    expect(after(ui, move(-1, ids("T-1", "T-2", "T-4"))).selected).toBe("T-2");
  });

  test("is nothing in an empty list", () => {
    expect(after(INITIAL_UI, move(1, order), move(1, [])).selected).toBeUndefined();
  });
});

describe("dialogs", () => {
  test("a refused text says why until it is edited", () => {
    const open = after(INITIAL_UI, { type: "open", modal: { kind: "gate", ticket: T2, input: EMPTY_INPUT } });
    const refused = after(open, { type: "text-refused", problem: "say the exact step" });
    expect(refused.modal).toMatchObject({ problem: "say the exact step" });
    const edited = after(refused, { type: "text", action: { type: "insert", text: "a" } });
    expect(edited.modal).toEqual({ kind: "gate", ticket: T2, input: { text: "a", cursor: 1 } });
  });

  test("text goes nowhere when no field is open", () => {
    const open = after(INITIAL_UI, { type: "open", modal: { kind: "kill", ticket: T2 } });
    expect(after(open, { type: "text", action: { type: "insert", text: "a" } })).toBe(open);
  });

  test("asking for the stop closes what stands in front and is remembered", () => {
    const ui = after(INITIAL_UI, { type: "open", modal: { kind: "leave" } }, { type: "stop-asked" });
    expect(ui).toMatchObject({ stopAsked: true });
    expect(ui.modal).toBeUndefined();
  });
});

test("a message goes when its time has come, not before", () => {
  const ui = after(INITIAL_UI, { type: "toast", toast: { text: "refused", tone: "bad", until: 5000 } });
  expect(after(ui, { type: "time", now: 4999 })).toBe(ui);
  expect(after(ui, { type: "time", now: 5000 }).toast).toBeUndefined();
});

test("scrolling stays within what there is, also when there becomes less", () => {
  const pane = (action: PaneAction): UiAction => ({ type: "pane", pane: "summary", action });
  const ui = after(INITIAL_UI, pane({ type: "max", max: 5 }), pane({ type: "by", lines: 99 }));
  expect(ui.panes.summary.scroll).toBe(5);
  expect(ui.panes.help.scroll).toBe(0);
  expect(after(ui, pane({ type: "max", max: 2 })).panes.summary.scroll).toBe(2);
  expect(after(ui, pane({ type: "by", lines: -99 })).panes.summary.scroll).toBe(0);
  expect(after(ui, pane({ type: "to", place: "top" }), pane({ type: "to", place: "end" })).panes.summary.scroll).toBe(5);
});

test("what changes nothing returns the same object, so that nothing is drawn", () => {
  expect(after(INITIAL_UI, { type: "close" })).toBe(INITIAL_UI);
  expect(after(INITIAL_UI, { type: "size", tooSmall: false })).toBe(INITIAL_UI);
  expect(after(INITIAL_UI, { type: "time", now: 1 })).toBe(INITIAL_UI);
  expect(after(INITIAL_UI, { type: "pane", pane: "help", action: { type: "by", lines: 1 } })).toBe(INITIAL_UI);
});
