import { describe, expect, test } from "vitest";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import type { Fence } from "../../../src/domain/values/ids.ts";
import { atWork, D1, discover, T1, T2 } from "../finder.ts";
import { ticketOf } from "../simulate.ts";

const fold = (state: RunState, fact: RunFact) =>
  reduce(state, { ...fact, seq: state.seq + 1, at: state.lastEventAt + 1 } as never);
const discovered = { ...ticketOf("T-1-d1"), foundBy: T1 };
const fact = { type: "ticket-discovered", ticket: T1, discovered, reason: "x", blocks: false } as const;

describe("a ticket that is found", () => {
  test("by an attempt that does not run has no place in a journal", () => {
    const { state } = atWork();
    expect(() => fold(state, { ...fact, fence: 7 as Fence })).toThrow("no attempt with fence 7");
    expect(() => fold(state, { ...fact, ticket: T2, fence: 1 as Fence })).toThrow("no attempt with fence 1");
  });

  test("has everything verified again, when it is found and when the tracker holds it", () => {
    const sim = atWork();
    const verified = { ...sim.state, reverified: true };
    expect(fold(verified, { ...fact, ...sim.of(T1) }).reverified).toBe(false);
    discover(sim);
    expect(fold({ ...sim.state, reverified: true }, { type: "discovery-filed", ticket: D1 }).reverified).toBe(false);
  });
});
