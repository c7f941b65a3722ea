import { describe, expect, test } from "vitest";
import { MouseReader } from "../../../components/app/input.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { desk } from "../desk.ts";
import { plumbing } from "../scenes.ts";

const ESC = "\u001b";

describe("a report of the mouse", () => {
  const read = (...inputs: readonly string[]) => {
    const reader = new MouseReader();
    return inputs.flatMap((input) => reader.push(input));
  };

  test("is a click or a turn of the wheel in a cell counted from 0", () => {
    expect(read(`${ESC}[<0;10;5M`)).toEqual([{ what: "click", column: 9, row: 4 }]);
    expect(read(`j${ESC}[<64;1;1M${ESC}[<65;300;80Mk`)).toEqual([
      { what: "wheel-up", column: 0, row: 0 },
      { what: "wheel-down", column: 299, row: 79 },
    ]);
  });

  test("without a meaning does nothing: releases, other buttons, motion, cells that are none, and what only looks like one", () => {
    for (const input of ["[<0;10;5m", "[<1;10;5M", "[<2;1;1M", "[<32;4;4M", "[<66;4;4M", "[<0;0;5M", "[<0;5;0M"])
      expect(read(ESC + input), input).toEqual([]);
    for (const input of ["[<0;10;5M", `${ESC}[<0;10M`, `${ESC}[<a;1;1M`, `${ESC}[<1234;1;1M`, `${ESC}[M !!`, `${ESC}<0;1;1M`])
      expect(read(input), input).toEqual([]);
  });

  test("is put together wherever it was cut", () => {
    const report = `${ESC}[<0;10;5M`;
    for (let at = 1; at < report.length; at++)
      expect(read(`j${report.slice(0, at)}`, `${report.slice(at)}k`), `${at}`).toHaveLength(1);
    expect(read(...report)).toHaveLength(1);
  });

  test("is text within a marked paste, wherever that was cut", () => {
    const pasted = `${ESC}[200~${ESC}[<0;10;5M${ESC}[201~`;
    expect(read(pasted)).toEqual([]);
    expect(read(...pasted)).toEqual([]);
    for (let at = 1; at < pasted.length; at++) expect(read(pasted.slice(0, at), pasted.slice(at)), `${at}`).toEqual([]);
    expect(read(`${pasted}${ESC}[<0;10;5M`)).toHaveLength(1);
  });
});

describe("what was typed of a text that Ink gives", () => {
  const report = `${ESC}[<0;10;5M`;
  /** What is left of the texts that Ink gives for these pieces of input, where it has waited for none of them. */
  const typed = (...inputs: readonly string[]) => {
    const reader = new MouseReader();
    return inputs.map((input) => {
      reader.push(input);
      return reader.typed(input.replace(ESC, ""));
    });
  };

  test("is nothing of a report, wherever a line has torn it", () => {
    for (let at = 1; at < report.length; at++) {
      expect(typed(report.slice(0, at), report.slice(at)), `${at}`).toEqual(["", ""]);
      for (let then = at + 1; at > 1 && then < report.length; then++)
        expect(typed(report.slice(0, at), report.slice(at, then), report.slice(then)), `${at} ${then}`).toEqual(["", "", ""]);
    }
  });

  test("is all that comes behind one, and after one that does not go on", () => {
    expect(typed(`${ESC}[<0;1`, "0;5Mjk")).toEqual(["", "jk"]);
    expect(typed(`${ESC}[<0;1`, "j", "5")).toEqual(["", "j", "5"]);
    expect(typed("M", "[<0;10;5M")).toEqual(["M", "[<0;10;5M"]);
  });

  test("is what a hand types after Escape, one key at a time", () => {
    expect(typed(ESC, "[", "<", "5", "j")).toEqual(["", "[", "<", "5", "j"]);
  });

  test("is nothing of a report in the mode before, each of which Ink gives as a text of its own", () => {
    const reader = new MouseReader();
    expect(reader.push(`a${ESC}[M 5x${ESC}[M 5x${ESC}[M#5\u00e4`)).toEqual([]);
    expect(["a", " 5x", " 5x", "#5\u00e4", " 5x"].map((text) => reader.typed(text))).toEqual(["a", "", "", "", " 5x"]);
  });
});

describe("the mouse", () => {
  const row = (id: string) => ({ on: "ticket", id: TicketId.parse(id) }) as const;

  test("selects what it clicks on, and opens what is selected", () => {
    const d = desk(plumbing());
    d.point("click", row("T-6"));
    expect(d.ui()).toMatchObject({ selected: "T-6", view: "overview" });
    d.point("click", row("T-6"));
    expect(d.ui()).toMatchObject({ selected: "T-6", view: "ticket" });
  });

  test("turns the selection, a scrolled dialog, and what the palette has chosen", () => {
    const d = desk(plumbing());
    d.point("wheel-down", { on: "nothing" });
    expect(d.ui().selected).toBe("T-4");
    d.point("wheel-up", { on: "nothing" });
    expect(d.ui().selected).toBe("T-7");
    d.type(":");
    d.point("wheel-down", { on: "nothing" });
    expect(d.ui().modal).toMatchObject({ kind: "palette", at: 3 });
    d.press({ key: "escape" });
    d.type("?");
    d.store.dispatch({ type: "pane", pane: "help", action: { type: "max", max: 9 } });
    d.point("wheel-down", { on: "nothing" });
    expect(d.ui().panes.help.scroll).toBe(3);
  });

  test("does what a key of the last line does", () => {
    const d = desk(plumbing());
    d.point("click", { on: "binding", name: "pause" });
    expect(d.sent).toEqual([{ type: "pause" }]);
    d.point("click", { on: "binding", name: "help" });
    expect(d.ui().modal).toEqual({ kind: "help", filter: "" });
  });

  test("never confirms anything: that takes a key", () => {
    for (const [open, name] of [
      ["x", "yes"],
      ["h", "yes"],
      ["q", "stop"],
      ["q", "detach"],
      ["g", "record"],
      [":", "give"],
    ] as const) {
      const d = desk(plumbing());
      d.type("j");
      d.type(open);
      const { modal } = d.ui();
      d.point("click", { on: "binding", name });
      expect(d.sent, name).toEqual([]);
      expect(d.left, name).toEqual([]);
      expect(d.ui().modal, name).toEqual(modal);
      expect(d.ui().toast?.text, name).toMatch(/^press .+ for that$/);
    }
  });
});
