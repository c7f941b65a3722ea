import { expect, test } from "vitest";
import { baseKey } from "../../../src/domain/run/people-fact.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const DONE = { verdict: "done", counts: { done: 1, gated: 0, open: 0 }, open: [], durationMs: 1 } as const;

/** A run whose only ticket has landed. */
function landed(): Simulation {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.decide();
  sim.endAttempt(T1, "done");
  // The first decision has asked the oracle, too.
  sim.report({ type: "oracle-judged", final: false, judgement: DONE });
  return sim;
}

/** A person commits to the base. */
function commit(sim: Simulation, tip: string): void {
  const fingerprint = { key: baseKey("app"), value: tip };
  sim.report({ type: "act-observed", class: "I4", target: "app", note: tip, fingerprint });
}

/** Goes on to the end; each re-verification looks at the tip that is known, and then `during` happens. */
function conclude(sim: Simulation, during: (round: number) => void): void {
  for (let round = 0; round < 20; round += 1) {
    for (const action of sim.decide()) {
      if (action.do === "end") return;
      if (action.do === "judge") sim.report({ type: "oracle-judged", final: action.final, judgement: DONE });
      if (action.do !== "reverify") continue;
      const tip = sim.state.fingerprints?.[baseKey("app")] ?? "first";
      during(round);
      sim.report({ type: "reverify-ended", reopened: 0, tips: { app: tip } });
    }
  }
  throw new Error("the run does not end");
}

test("a commit of a person during the last re-verification needs another one, whenever it is seen", () => {
  const sim = landed();
  let isFirst = true;
  conclude(sim, () => {
    if (isFirst) commit(sim, "theirs");
    isFirst = false;
  });
  expect(sim.events.filter(({ type }) => type === "reverify-ended")).toHaveLength(2);
  expect(sim.state.end?.reason).toBe("1 done");
});

test("people who commit again and again do not keep a run from its end, which says so", () => {
  const sim = landed();
  conclude(sim, (round) => commit(sim, `theirs-${round}`));
  expect(sim.events.filter(({ type }) => type === "reverify-ended")).toHaveLength(5);
  expect(sim.state.end?.reason).toBe("1 done; people have committed to app since it was re-verified");
});
