import { describe, expect, test } from "vitest";
import { ReviewerSpec } from "../../../src/domain/batch/party.ts";
import { describeHalt } from "../../../src/domain/schedule/backoff.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { toReview } from "../play.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const reviewer = ReviewerSpec.parse({ kind: "codex", apiKeyEnv: "K" });
const secondReviewer = ReviewerSpec.parse({ kind: "gemini", apiKeyEnv: "K" });
const said = { question: "review", costUsd: 2, valid: false, says: "no" } as const;

/** A run whose ticket is asked about, by the first and then by the second reviewer. */
function asked(): Simulation {
  const sim = new Simulation({ ...batchOf([ticketOf("T-1")], { attempts: 3 }), reviewer, secondReviewer });
  sim.decide();
  toReview(sim, T1);
  sim.report({ type: "reviewer-answered", ...sim.of(T1), ...said, valid: true });
  sim.report({ type: "reviewer-asked", ...sim.of(T1), question: "review", by: "second", reservedUsd: 3 });
  return sim;
}

describe("the second reviewer", () => {
  test("has its own counts and money, and frees what was set aside for it", () => {
    const sim = asked();
    expect(sim.state.reservedUsd).toBe(3);
    expect(sim.state.reviewer).toMatchObject({ asked: 1, valid: 1, usd: 2 });
    expect(sim.state.secondReviewer).toMatchObject({ asked: 1, valid: 0, usd: 0 });
    sim.report({ type: "reviewer-answered", ...sim.of(T1), ...said, by: "second", valid: true, canary: "missed" });
    expect(sim.state.reservedUsd).toBe(0);
    expect(sim.state.reviewer).toMatchObject({ usd: 2, canaries: { seen: 0, missed: 0 } });
    expect(sim.state.secondReviewer).toMatchObject({ valid: 1, usd: 2, canaries: { seen: 0, missed: 1 } });
    expect(sim.state.spentUsd).toBe(4);
  });

  test("has its own rate limit, which an answer of the first does not end", () => {
    const sim = asked();
    const stop = { kind: "rate-limited", says: "slow down" } as const;
    sim.report({ type: "reviewer-answered", ...sim.of(T1), ...said, by: "second", stop });
    expect(sim.state.rateLimited).toMatchObject({ secondReviewer: { 0: { times: 1 } } });
    expect(sim.state.rateLimited).not.toHaveProperty("reviewer");
    sim.report({ type: "reviewer-answered", ...sim.of(T1), ...said, valid: true });
    expect(sim.state.rateLimited).toMatchObject({ secondReviewer: { 0: { times: 1 } } });
    sim.report({ type: "reviewer-answered", ...sim.of(T1), ...said, by: "second", valid: true });
    expect(sim.state.rateLimited).toEqual({});
  });

  test("whose key is refused is named, with what to do", () => {
    const sim = asked();
    const stop = { kind: "authentication", says: "bad key" } as const;
    sim.report({ type: "reviewer-answered", ...sim.of(T1), ...said, by: "second", stop });
    expect(sim.state.halted).toMatchObject({ kind: "authentication", party: "secondReviewer" });
    expect(sim.state.halted && describeHalt(sim.state.halted)).toBe(
      "no agent starts any more (the second reviewer: authentication): bad key; use an API key that the second reviewer's API accepts, then run the same command again",
    );
  });

  test("whose API is away is the outage that is shown", () => {
    const sim = asked();
    const stop = { kind: "unreachable", says: "ECONNREFUSED" } as const;
    sim.report({ type: "reviewer-answered", ...sim.of(T1), ...said, by: "second", stop });
    expect(sim.state.outages?.model).toMatchObject({ why: "the second reviewer: ECONNREFUSED" });
  });
});
