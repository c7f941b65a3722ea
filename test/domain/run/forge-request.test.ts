import { describe, expect, it } from "vitest";
import { admitCommand } from "../../../src/domain/run/admit.ts";
import { Command } from "../../../src/domain/run/command.ts";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { ticketById } from "../../../src/domain/run/state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { HEAD, pushed, queued, reads, runOfPullRequests } from "../../store/pull-request-scenes.ts";
import type { RunBuilder } from "../../store/run-builder.ts";

const T1 = TicketId.parse("T-1");
const RERUN = { type: "rerun-checks", ticket: T1 } as const;
const REVIEW = { type: "request-review", ticket: T1, login: "ann" } as const;

function give(run: RunBuilder, command: Command): readonly RunFact[] {
  const facts = admitCommand(run.state, command);
  for (const fact of facts) run.play(fact);
  return facts;
}

const reasons = (facts: readonly RunFact[]) => facts.map((fact) => (fact.type === "command-refused" ? fact.reason : fact.type));
const pullOf = (run: RunBuilder) => ticketById(run.state, T1).pullRequest;

describe("starting failed checks again", () => {
  it("asks for those of the pushed commit, once at a time, and counts once the forge has done it", () => {
    const run = queued();
    const request = { kind: "rerun", head: HEAD, names: ["lint"] } as const;
    expect(give(run, RERUN)).toEqual([{ type: "forge-request-started", ticket: T1, number: 12, request }]);
    expect([pullOf(run)?.requests, run.state.interventions]).toEqual([[request], []]);
    expect(reasons(give(run, RERUN))).toEqual(["its failed checks are being started again already"]);
    run.play({ type: "forge-request-ended", ticket: T1, number: 12, request });
    expect(pullOf(run)?.requests).toBeUndefined();
    expect(run.state.interventions).toMatchObject([{ class: "I2", target: "T-1", note: "started failed checks again" }]);
  });

  it("counts nothing if nothing came of it", () => {
    const run = queued();
    give(run, RERUN);
    const request = { kind: "rerun", head: HEAD, names: ["lint"] } as const;
    run.play({ type: "forge-request-ended", ticket: T1, number: 12, request, problem: "the forge is away" });
    expect([pullOf(run)?.requests, run.state.interventions]).toEqual([undefined, []]);
  });

  it("is refused with a reason if there is nothing to start", () => {
    expect(reasons(give(runOfPullRequests(), RERUN))).toEqual(["T-1 has no pull request"]);
    const run = pushed(runOfPullRequests(), "T-1");
    expect(reasons(give(run, RERUN))).toEqual(["the checks of pull request #12 have not been read yet"]);
    reads(run, "T-1", { checks: [{ name: "ci", state: "running" }] });
    expect(reasons(give(run, RERUN))).toEqual(["no check of pull request #12 has failed"]);
    expect(reasons(give(run, { ...RERUN, ticket: TicketId.parse("T-9") }))).toEqual(["there is no ticket T-9 in this batch"]);
  });

  it("is refused once the change has landed", () => {
    const run = queued();
    run.lands("T-1");
    expect(reasons(give(run, RERUN))).toEqual(["pull request #12 has landed"]);
    expect(reasons(give(run, REVIEW))).toEqual(["pull request #12 has landed"]);
  });
});

describe("requesting a review", () => {
  it("is remembered with the pull request, counted, and not asked twice at a time", () => {
    const run = queued();
    give(run, REVIEW);
    expect(reasons(give(run, { ...REVIEW, login: "ANN" }))).toEqual(["the forge is being asked already"]);
    run.play({ type: "forge-request-ended", ticket: T1, number: 12, request: { kind: "review", login: "ann" } });
    expect(pullOf(run)).toMatchObject({ reviewers: ["ann"] });
    expect(run.state.interventions).toMatchObject([{ class: "I2", note: "requested a review of ann" }]);
  });

  it.each(["", "a b", "-x", "x/y", "a;b", "@ann", "a".repeat(101)])("takes no login %j", (login) => {
    expect(Command.safeParse({ ...REVIEW, login }).success).toBe(false);
  });
});

describe("the checks of a reading", () => {
  it("have their state since it was first read so", () => {
    const run = pushed(runOfPullRequests(), "T-1");
    const [ci, docs] = [
      { name: "ci", state: "passed" },
      { name: "docs", state: "running" },
    ] as const;
    reads(run, "T-1", { checks: [ci, docs] });
    const first = run.now;
    reads(run.wait(60), "T-1", { checks: [ci, { ...docs, state: "failed" }] });
    expect(pullOf(run)).toMatchObject({ readAt: run.now, checksSince: [first, run.now] });
  });
});
