import { describe, expect, test } from "vitest";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { desk } from "../desk.ts";
import { plumbing } from "../scenes.ts";

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
    expect(d.ui().selected).toBe("T-6");
    d.point("wheel-up", { on: "nothing" });
    expect(d.ui().selected).toBe("T-5");
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
      d.type("jj");
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
