import { expect, test } from "vitest";
import { BehaviourSpec } from "../../../src/domain/batch/behaviour-spec.ts";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import type { GateName } from "../../../src/domain/behaviour/signals.ts";
import { UNKNOWN_SIGNALS } from "../../../src/domain/run/signals-fact.ts";
import { remediationAt } from "../../../src/domain/schedule/remediation.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");

/** An agent at work whose gates fail one after the other, and the policy that is asked each time. */
function atWork(onFail: unknown) {
  const agent = { kind: "claude", prices: [], fallback: [] } as unknown as Batch["agent"];
  const batch = { ...batchOf([ticketOf("T-1")], { attempts: 9 }), agent, behaviour: BehaviourSpec.parse({ onFail }) };
  const sim = new Simulation(batch);
  let signals = UNKNOWN_SIGNALS;
  sim.report({ type: "attempt-claimed", ticket: T1, fence: 1 as never, attempt: 1, slot: 0, reservedUsd: 0 });
  sim.report({ type: "agent-launching", ...sim.of(T1) });
  sim.report({ type: "agent-started", ...sim.of(T1), pid: 1, startTime: "1" });
  /** A report says that `gate` has failed, and the policy acts. Gives its action. */
  const fails = (gate: GateName, why: string) => {
    signals = { ...signals, [gate]: { level: "fail", why } };
    sim.report({ type: "signals-changed", ...sim.of(T1), signals });
    const fact = remediationAt(sim.state, 0, "at-work");
    if (fact !== undefined) expect(sim.report(fact)).toBe(true);
    return fact?.action;
  };
  return { fails, sim };
}

test("an agent is nudged once for a gate, however often that gate is told to have failed", () => {
  const { fails, sim } = atWork(["nudge", "gate"]);
  expect([fails("momentum", "7 times"), fails("momentum", "8 times"), fails("momentum", "9 times")]).toEqual([
    "nudge",
    undefined,
    undefined,
  ]);
  expect(fails("exist", "8 files")).toBe("nudge");
  expect(fails("exist", "9 files")).toBeUndefined();
  expect(remediationAt(sim.state, 0, "failed")?.action).toBe("gate");
});

test("an attempt that is ended is not remedied again", () => {
  const { fails } = atWork("step-back");
  expect([fails("momentum", "7 times"), fails("momentum", "8 times"), fails("exist", "8 files")]).toEqual([
    "step-back",
    undefined,
    undefined,
  ]);
});
