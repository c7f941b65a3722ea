import { expect, test } from "vitest";
import { resolveRoutes } from "../../../src/domain/batch/complexity-spec.ts";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import { computeReport } from "../../../src/domain/results/report.ts";
import { firstComplexity, raisedComplexity } from "../../../src/domain/run/reduce-complexity.ts";
import { Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const routed = { ...batchOf([ticketOf("T-1"), ticketOf("T-2", { complexity: "trivial" })]), complexity: resolveRoutes(true) };

test("a fact never lowers a class, whatever it says", () => {
  const fact = {
    type: "complexity-changed",
    ticket: T1,
    fence: Fence.parse(1),
    from: "complex",
    to: "trivial",
    why: "x",
  } as const;
  const complexity = { class: "complex", why: "y" } as const;
  expect(raisedComplexity({ complexity }, fact)).toEqual({ complexity });
});

test("a ticket that a worker found is at least as hard as the one of its finder", () => {
  const found = ticketOf("T-1-d1", { foundBy: T1, title: "trivial" });
  const why = "the worker on T-1, which is architectural, found it";
  expect(firstComplexity(routed, found, { complexity: { class: "architectural", why: "" } })).toEqual({
    complexity: { class: "architectural", why },
  });
  expect(firstComplexity(routed, found, { complexity: { class: "trivial", why: "" } }).complexity?.class).toBe("simple");
});

test("the report has the class of each ticket, and counts them", () => {
  const { state } = new Simulation(routed);
  expect(computeLedger(state).complexity).toEqual({ trivial: 1, simple: 1, complex: 0, architectural: 0 });
  expect(computeReport(state).tickets.map(({ complexity }) => complexity?.class)).toEqual(["simple", "trivial"]);
});

test("a run without routing has none", () => {
  const { state } = new Simulation(batchOf([ticketOf("T-1")]));
  expect(computeLedger(state).complexity).toBeNull();
  expect(computeReport(state).tickets[0]?.complexity).toBeNull();
});
