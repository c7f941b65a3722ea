import { expect, test } from "vitest";
import type { RemedyAction } from "../../../src/domain/batch/remedy-spec.ts";
import { countRemediations } from "../../../src/domain/results/ledger.ts";
import type { AttemptOutcome } from "../../../src/domain/run/attempt-fact.ts";
import type { Fence } from "../../../src/domain/values/ids.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const words = { was: "so", did: "so", now: "so", bound: "so" };

/** A run of one ticket with these attempts; each may be remedied. */
function run(...attempts: readonly (readonly [RemedyAction | undefined, AttemptOutcome])[]) {
  const sim = new Simulation(batchOf([ticketOf("T-1")], { attempts: 9 }));
  for (const [i, [action, outcome]] of attempts.entries()) {
    const fence = (i + 1) as Fence;
    sim.report({ type: "attempt-claimed", ticket: T1, fence, attempt: i + 1, slot: 0, reservedUsd: 0 });
    if (action !== undefined) sim.report({ type: "remediated", ticket: T1, fence, gate: "momentum", action, ...words });
    sim.endAttempt(T1, outcome);
  }
  return countRemediations(sim.state);
}

test("a remediation helped if its ticket landed in an attempt after it, before any other", () => {
  expect(run(["step-back", "failed"], [undefined, "failed"], [undefined, "done"])).toEqual({
    made: 1,
    helped: 1,
    byAction: { "step-back": { made: 1, helped: 1 } },
  });
  expect(run(["step-back", "failed"], ["step-back", "failed"], [undefined, "done"])).toMatchObject({ made: 2, helped: 1 });
  expect(run([undefined, "failed"], ["step-back", "failed"], [undefined, "failed"])).toMatchObject({ made: 1, helped: 0 });
  expect(run(["gate", "gated"])).toEqual({ made: 1, helped: 0, byAction: { gate: { made: 1, helped: 0 } } });
});
