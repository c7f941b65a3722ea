import { describe, expect, test } from "vitest";
import type { Evidence } from "../../../src/domain/run/attempt-fact.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import type { Attempt, Signs, TicketState } from "../../../src/domain/run/ticket-state.ts";
import {
  countsAsFailure,
  failedAgain,
  failureIdentity,
  signsAfter,
  TURNED_AWAY,
  trippedBreaker,
} from "../../../src/domain/schedule/breaker.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const evidence = (over: Partial<Evidence> = {}): Evidence => ({
  ...{ step: "check", name: "tests", summary: "npm test exited with code 1", detail: "" },
  ...over,
});

/** A ticket with these signs whose attempt is as it was claimed, but for `over`. */
function working(signs: Signs, over: Partial<Attempt> = {}): { ticket: TicketState; attempt: Attempt } {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.decide();
  const ticket = { ...stateOf(sim.state, T1), signs };
  return { ticket, attempt: { ...(ticket.attempt as Attempt), ...over } };
}

describe("an attempt that the reviewer's API postponed", () => {
  const counts = (times: number, unanswered: Attempt["unanswered"]) => {
    const { ticket, attempt } = working({ turnedAway: times }, unanswered === undefined ? {} : { unanswered });
    return countsAsFailure(ticket, attempt, "stopped");
  };

  test("counts as a failure once it was turned away so many times in a row, and not before", () => {
    expect(counts(TURNED_AWAY - 1, "rate-limited")).toBe(false);
    expect(counts(TURNED_AWAY, "rate-limited")).toBe(true);
  });

  test("does not where every question would end so, or nobody was asked", () => {
    expect(counts(TURNED_AWAY, "authentication")).toBe(false);
    expect(counts(TURNED_AWAY, undefined)).toBe(false);
  });
});

describe("the signs after an attempt", () => {
  const before: Signs = { failure: { identity: "x", times: 2 }, unchanged: 1, turnedAway: 3 };
  const unchanged = { tip: "t", files: 0, additions: 0, deletions: 0 };

  test("that is done are none", () => {
    const { ticket, attempt } = working(before);
    expect(signsAfter(ticket, attempt, { outcome: "done", counted: false, evidence: undefined })).toEqual({});
  });

  test("that changed nothing without an agent, going on from earlier work, do not say that an agent changed nothing", () => {
    const { ticket, attempt } = working(before, { change: unchanged });
    const after = signsAfter(ticket, attempt, { outcome: "failed", counted: true, evidence: evidence() });
    expect(after).toEqual({ failure: { identity: failureIdentity(evidence()), times: 1 } });
  });

  test("that left no evidence know no failure", () => {
    expect(failedAgain(before, undefined)).toEqual({});
  });
});

describe("a ticket that is left alone", () => {
  const { ticket } = working({});

  test("says so also where no reason given", () => {
    expect(trippedBreaker({ ...ticket, signs: { hopeless: "memory" } })).toBe("memory: no reason given");
    expect(trippedBreaker({ ...ticket, signs: { failure: { identity: "x", times: 3 } } })).toBe(
      "same-failure: 3 attempts in a row failed alike; the last: no reason given",
    );
  });

  test("tells the last of its failures", () => {
    const left = ["in 1 s", "in 2 s", "in 3 s"].map((summary) => evidence({ summary }));
    expect(trippedBreaker({ ...ticket, evidence: left, signs: { failure: { identity: "x", times: 3 } } })).toMatch(
      /the last: in 3 s$/,
    );
  });
});

describe("a failure is known again", () => {
  test.for([
    ["in another folder or in none", "/tmp/judge-1/a.ts is broken", "a.ts is broken"],
    ["on a day with its name or without", "Mon, 12 Jan 2026 10:11:12 GMT no answer", "12 Jan 2026 10:11:12 GMT no answer"],
    ["by a hash or by a number", "cannot find 64bc3b1a9e", "cannot find 12"],
    ["with other spaces", "  one  or two", "one or two"],
  ])("%s", ([, one, other]) => {
    expect(failureIdentity(evidence({ detail: one ?? "" }))).toBe(failureIdentity(evidence({ detail: other ?? "" })));
  });

  test.for<readonly [string, Partial<Evidence>, Partial<Evidence>]>([
    ["with a number and without", { detail: "exit 3" }, { detail: "exit" }],
    ["of two words and of one", { detail: "no where" }, { detail: "nowhere" }],
    ["of tests whose names run into each other", { tests: ["a", "bc"] }, { tests: ["ab", "c"] }],
    ["of other words where it is about no test", { tests: [], summary: "down" }, { tests: [], summary: "up" }],
  ])("and one %s is not taken for the other", ([, one, other]) => {
    expect(failureIdentity(evidence(one))).not.toBe(failureIdentity(evidence(other)));
  });
});
