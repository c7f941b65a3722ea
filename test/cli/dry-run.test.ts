import { expect, test } from "vitest";
import { graphLines, planLines } from "../../src/cli/verbs/dry-run.ts";
import { resolveRoutes } from "../../src/domain/batch/complexity-spec.ts";
import type { Standing } from "../../src/domain/batch/merge-folder.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { batchOf, ticketOf } from "../domain/simulate.ts";

const review: StepSpec = { step: "review", name: "review" };
const gates: StepSpec = { step: "gates" };

test("the plan says the usual finish line once, each step by one name, and counts in the singular", () => {
  const batch = batchOf([
    ticketOf("T-1", { finish: [gates, review] }),
    ticketOf("T-2", { finish: [gates, review] }),
    ticketOf("T-3", { finish: [gates] }),
  ]);
  const lines = planLines({ batch, standings: new Map() }, "none");
  expect(lines).toContain("finish line: gates → review (tickets that have another name it)");
  expect(lines.filter((line) => line.includes("gates → review"))).toHaveLength(1);
  expect(lines.find((line) => line.includes("T-3"))).toMatch(/\(gates\)$/);
  expect(planLines({ batch: batchOf([ticketOf("T-1")]), standings: new Map() }, "none")[0]).toContain(
    ": 1 ticket, 1 repository, ",
  );
});

test("tickets that are done, left to a person or on hold are not shown as ready, and one that is done releases the next", () => {
  const batch = batchOf([
    ticketOf("T-1"),
    ticketOf("T-2", { dependsOn: [TicketId.parse("T-1")] }),
    ticketOf("T-3"),
    ticketOf("T-4", { dependsOn: [TicketId.parse("T-3")] }),
    ticketOf("T-5"),
  ]);
  const standings = new Map<TicketId, Standing>([
    [TicketId.parse("T-1"), { as: "done", text: "" }],
    [TicketId.parse("T-3"), { as: "left to a person", text: "press it" }],
    [TicketId.parse("T-5"), { as: "on hold", text: "it is canceled" }],
  ]);
  expect(graphLines({ batch, standings })).toEqual([
    ...["", "ready at once (1)", "  T-2  [app]  T-2"],
    ...["", "layer 2 (1)", "  T-4  [app]  T-4  after T-3"],
    ...["", "on hold (1)", "  T-5  [app]  T-5: it is canceled"],
    ...["", "left to a person (1)", "  T-3  [app]  T-3: press it"],
    ...["", "done (1)", "  T-1  [app]  T-1"],
  ]);
});

test("with routing by complexity, a ticket has the class that it begins with, and why", () => {
  const tickets = [ticketOf("T-1"), ticketOf("T-2", { body: "Mend src/pay/sum.ts" }), ticketOf("T-3", { complexity: "trivial" })];
  const zones = [{ path: "src/pay/", origin: { file: "batch" } as const }];
  const routed = { ...batchOf(tickets), complexity: resolveRoutes(true), bounds: { app: { zones, neverDo: [], ironLaws: [] } } };
  expect(graphLines({ batch: routed, standings: new Map() }).slice(2)).toEqual([
    "  T-1  [app]  T-1  simple: its text names nothing harder",
    "  T-2  [app]  T-2  complex: its text names the zone src/pay/",
    "  T-3  [app]  T-3  trivial: the batch file says so",
  ]);
});

test.each<[string, Parameters<typeof resolveRoutes>[0], string | undefined]>([
  ["the defaults", true, "by complexity: complex: 2 reviews; architectural: a plan first, 2 reviews, a person's approval"],
  [
    "bounds of its own",
    { trivial: { attempts: 1, minutesPerAttempt: 10 }, complex: {}, architectural: { usdPerTicket: 5, reviewers: 1 } },
    "by complexity: trivial: 1 attempt, 10 min an attempt; architectural: 1 review, $ 5 a ticket",
  ],
  ["nothing", { complex: {}, architectural: {} }, "by complexity: every class as the batch"],
  ["no routing", false, undefined],
])("the plan says what classes ask for: %s", (_, spec, line) => {
  const routes = resolveRoutes(spec);
  const batch = { ...batchOf([ticketOf("T-1")]), ...(routes && { complexity: routes }) };
  const lines = planLines({ batch, standings: new Map() }, "none");
  expect(lines.filter((each) => each.startsWith("by complexity"))).toEqual(line === undefined ? [] : [line]);
});
