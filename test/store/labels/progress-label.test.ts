import { describe, expect, test } from "vitest";
import type { RunningStep } from "../../../src/domain/run/ticket-state.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { describeEvent } from "../../../src/store/describe-event.ts";
import { lastingWork, progressParts, provingLabels } from "../../../src/store/labels/progress-label.ts";
import { batchOf, Simulation, ticketOf } from "../../domain/simulate.ts";

const APP = RepoId.parse("app");
const [S0, S1, S3, S4] = ["S-0", "S-1", "S-3", "S-4"].map((id) => TicketId.parse(id)) as [TicketId, TicketId, TicketId, TicketId];
const check = { step: "check", name: "tests", command: ["npm", "test"] } as const;

/** A run whose tickets have finished work, each at its check if `at` names it. */
function checking(at: readonly TicketId[]): Simulation {
  const tickets = [S0, S1, S3, S4].map((id) => ticketOf(id, { finish: [check, { step: "merge" }] }));
  const sim = new Simulation(batchOf(tickets, { workers: 4 }));
  sim.decide();
  for (const ticket of [S0, S1, S3, S4]) {
    sim.endAgent(ticket);
    sim.report({ type: "change-captured", ...sim.of(ticket), tip: "t", files: 1, additions: 1, deletions: 0 });
  }
  for (const ticket of at) sim.report({ type: "step-started", ...sim.of(ticket), step: 0, kind: "check", name: "tests" });
  return sim;
}

const step: RunningStep = { index: 0, kind: "check", name: "tests", startedAt: 0 };

describe("what a step runs", () => {
  test("has its time, the usual one, its train, and who waits behind", () => {
    const part = { text: "", startedAt: 1_000, expectedMs: 42_400, train: [S0, S1, S3], behind: 2 };
    expect(progressParts({ ...step, part }, 32_000)).toEqual(["check tests 0:31 of about 0:42", "train S-0 S-1 S-3", "2 behind"]);
  });

  test("has its time alone if the usual one is not known, and says so if it takes longer", () => {
    expect(progressParts({ ...step, part: { text: "", startedAt: 0 } }, 31_000)).toEqual(["check tests 0:31"]);
    const late = { text: "", startedAt: 0, expectedMs: 42_000 };
    expect(progressParts({ ...step, part: late }, 3_700_000)).toEqual(["check tests 1:01:40 of about 0:42"]);
  });

  test("names another part, behind the step unless that stands beside it", () => {
    const part = { text: "the base, to compare with: running", startedAt: 0, train: [S0] };
    expect(progressParts({ ...step, part }, 5_000)).toEqual(["check tests: the base, to compare with: running 0:05"]);
    expect(progressParts({ ...step, part }, 5_000, "beside")).toEqual(["the base, to compare with: running 0:05"]);
  });

  test("counts the tickets of a long train that are not named, and is nothing before its first command", () => {
    const train = Array.from({ length: 9 }, (_, i) => TicketId.parse(`S-${i}`));
    expect(progressParts({ ...step, part: { text: "", startedAt: 0, train } }, 0)[1]).toBe("train S-0 S-1 S-2 S-3 S-4 S-5 +3");
    expect(progressParts(step, 5_000)).toEqual([]);
  });

  test("has no running clock without the time of day", () => {
    const part = { text: "", startedAt: new Date("2026-11-28T15:27:13").getTime(), expectedMs: 42_000 };
    expect(progressParts({ ...step, part })).toEqual(["check tests since 15:27:13, takes about 0:42"]);
  });
});

describe("what lasts", () => {
  const begin = (sim: Simulation, train: readonly TicketId[], expectedMs?: number) => {
    const outlook = { train, ...(expectedMs !== undefined && { expectedMs }), behind: 1 };
    for (const ticket of train) sim.report({ type: "step-part-started", ...sim.of(ticket), part: "", ...outlook });
  };

  test("is one line for a train, for what waits, and for a proof", () => {
    const sim = checking([S0, S1, S3]);
    begin(sim, [S0, S1, S3], 42_000);
    sim.report({ type: "proof-started", repo: APP, sha: "aa", tickets: [S4], expectedMs: 60_000 });
    expect(lastingWork(sim.state, sim.now + 31_000)).toBe(
      "S-0 check tests 0:31 of about 0:42 · S-1, S-3 in the same train · 1 behind · proving app 0:31 of about 1:00: S-4 · S-4 waits for its turn: check tests 0:31",
    );
  });

  test("is nothing while agents alone are at work, and once all has ended", () => {
    const sim = new Simulation(batchOf([ticketOf("S-0")]));
    sim.decide();
    sim.report({ type: "agent-launching", ...sim.of(S0) });
    expect(lastingWork(sim.state, sim.now + 60_000)).toBeUndefined();
    sim.endAttempt(S0, "done");
    expect(lastingWork(sim.state, sim.now + 60_000)).toBeUndefined();
  });
});

describe("the proof of a base", () => {
  const proving = (sim: Simulation) => provingLabels(sim.state, sim.now + 12_000);

  test("is told in longer and shorter words while it runs", () => {
    const sim = checking([]);
    expect(proving(sim)).toBeUndefined();
    sim.report({ type: "proof-started", repo: APP, sha: "aa", tickets: [S0], expectedMs: 42_000 });
    expect(proving(sim)).toEqual(["proving app 0:12 of about 0:42", "proving app 0:12", "proving"]);
    sim.report({ type: "proof-ended", repo: APP, sha: "aa", ok: true, summary: "", commits: 1 });
    expect(proving(sim)).toBeUndefined();
  });

  test("has a line in the feed when it begins, when it ends, and when it has no result", () => {
    const { state } = checking([]);
    const told = (fact: Parameters<Simulation["report"]>[0]) => describeEvent({ ...fact, seq: 1, at: 0 }, state);
    const ended = { type: "proof-ended", repo: APP, sha: "1a2b3c4d5e", commits: 6 } as const;
    expect(told({ type: "proof-started", repo: APP, sha: "1a2b3c4d5e", tickets: [S0, S1] })?.text).toBe(
      "proof of app at 1a2b3c4 under way: S-0 S-1",
    );
    expect(told({ ...ended, ok: true, summary: "" })).toMatchObject({ text: "proven: 6 changes in one run", tone: "plain" });
    expect(told({ ...ended, ok: false, summary: "a twin passed", blamed: S1 })).toMatchObject({
      text: "proof failed: S-1 is to blame: a twin passed",
      tone: "bad",
    });
    expect(told({ ...ended, ok: false, summary: "a twin passed" })?.text).toBe("proof failed: a twin passed");
    expect(told({ type: "proof-stopped", repo: APP })).toBeUndefined();
    expect(told({ type: "proof-stopped", repo: APP, reason: "npm ci failed" })?.text).toBe(
      "proof of app without a result: npm ci failed",
    );
  });
});
