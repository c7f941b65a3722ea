import { describe, expect, test } from "vitest";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { desk } from "../desk.ts";
import { batchOf, RunBuilder } from "../run-builder.ts";

const ids = (...names: readonly string[]) => names.map((name) => TicketId.parse(name));

/** T-1 and T-2 are worked on, T-3 waits, and T-4 to T-6 are stalled; nothing brings T-6 on. */
export function stalledRun(): RunBuilder {
  const tickets = [1, 2, 3, 4, 5, 6].map((n) => ({ id: `T-${n}`, title: n > 4 ? "Fetch the parts" : "Send the parts" }));
  const run = new RunBuilder(batchOf({ tickets, limits: { workers: 2 } }));
  run.working("T-1", "reads").working("T-2", "reads");
  for (const ticket of ids("T-4", "T-5"))
    run.play({ type: "ticket-stalled", ticket, reason: "3 of 3 attempts failed", by: "attempts" });
  run.play({ type: "ticket-stalled", ticket: TicketId.parse("T-6"), reason: "the tracker refuses its gate" });
  return run;
}

function at(selected?: string) {
  const d = desk(stalledRun());
  if (selected !== undefined) d.store.dispatch({ type: "select", ticket: TicketId.parse(selected) });
  return { ...d, marked: () => d.ui().marked, toast: () => d.ui().toast?.text };
}

describe("retrying all stalled tickets", () => {
  test("asks once, names those that can be retried, and is one command", () => {
    const d = at();
    d.type("R");
    expect([d.sent, d.ui().modal]).toEqual([[], { kind: "retry", ticket: "T-4", also: ["T-5"] }]);
    d.type("y");
    expect(d.sent).toEqual([{ type: "retry", ticket: ["T-4", "T-5"] }]);
    expect(d.ui().modal).toBeUndefined();
  });

  test("is confirmed by no burst that asked for it", () => {
    const d = at();
    d.type("Ry");
    expect(d.sent).toEqual([]);
  });

  test("says that none is stalled", () => {
    const d = desk(new RunBuilder(batchOf({ tickets: [{ id: "T-1" }] })));
    d.type("R");
    expect([d.ui().modal, d.ui().toast?.text]).toEqual([undefined, "no ticket is stalled"]);
  });
});

describe("marks", () => {
  test("m marks and unmarks the selected ticket, * adds all stalled ones, Escape clears them before the filter", () => {
    const d = at("T-1");
    d.type("m");
    expect(d.marked()).toEqual(["T-1"]);
    d.type("*");
    expect(d.marked()).toEqual(["T-1", "T-4", "T-5", "T-6"]);
    d.type("m");
    expect(d.marked()).toEqual(["T-4", "T-5", "T-6"]);
    d.store.dispatch({ type: "filter", text: "fetch" });
    d.press({ key: "escape" });
    expect([d.marked(), d.ui().filter]).toEqual([[], "fetch"]);
    d.type("*");
    expect(d.marked()).toEqual(["T-5", "T-6"]);
    d.press({ key: "escape" }, { key: "escape" });
    expect([d.marked(), d.ui().filter]).toEqual([[], ""]);
  });

  test("a kill ends what works on the marked tickets, a question for all, and unmarks them", () => {
    const d = at("T-1");
    d.type("m");
    d.type("jm");
    d.type("*");
    d.type("x");
    expect(d.ui().modal).toEqual({ kind: "kill", ticket: "T-1", also: ["T-2"] });
    d.type("y");
    expect(d.sent).toEqual(["T-1", "T-2"].map((ticket) => ({ type: "kill", ticket })));
    expect(d.marked()).toEqual([]);
  });

  test("a gate has one step for all of them", () => {
    const d = at();
    d.type("*");
    d.type("g");
    d.type("order the parts");
    d.press({ key: "enter" });
    expect(d.sent).toEqual(["T-4", "T-5", "T-6"].map((ticket) => ({ type: "gate", ticket, step: "order the parts" })));
    expect([d.ui().modal, d.marked()]).toEqual([undefined, []]);
  });

  test("a retry means those that can be retried; if none can, it says so", () => {
    const d = at();
    d.type("*");
    d.type("r");
    d.type("y");
    expect(d.sent).toEqual([{ type: "retry", ticket: ["T-4", "T-5"] }]);
    const none = at("T-1");
    none.type("m");
    none.type("r");
    expect([none.ui().modal, none.toast()]).toEqual([undefined, "no marked ticket can be retried"]);
    const settled = at("T-4");
    settled.type("m");
    settled.type("x");
    expect([settled.ui().modal, settled.toast()]).toEqual([undefined, "nobody works on a marked ticket now"]);
  });

  test("mean nothing where they are not shown, nor for a command that names its ticket", () => {
    const d = at("T-4");
    d.type("*");
    d.store.dispatch({ type: "view", view: "ticket" });
    d.type("r");
    expect(d.ui().modal).toEqual({ kind: "retry", ticket: "T-4" });
    d.type("y");
    expect(d.sent).toEqual([{ type: "retry", ticket: "T-4" }]);
    d.store.dispatch({ type: "view", view: "overview" });
    d.type(":");
    d.type("kill T-1");
    d.press({ key: "enter" });
    expect(d.ui().modal).toEqual({ kind: "kill", ticket: "T-1" });
  });
});
