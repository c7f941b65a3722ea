import { expect, test } from "vitest";
import type { LiveState } from "../../../src/domain/run/live-check.ts";
import type { TicketState } from "../../../src/domain/run/ticket-state.ts";
import { describeNeed, listNeeds } from "../../../src/domain/schedule/needs.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { vecAt, vecWith } from "../../../src/domain/values/vec.ts";
import { batchOf, RunBuilder } from "../../store/run-builder.ts";
import { claims, plumbing } from "../../store/scenes.ts";

const A = TicketId.parse("A");

test("a step that is left to a person is a need, with the open tickets that wait for it", () => {
  const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }, { id: "B", dependsOn: ["A"] }, { id: "C", dependsOn: ["A"] }] }));
  run.gates("A", "set the A record");
  expect(listNeeds(run.state)).toEqual([
    { kind: "step", ticket: "A", says: "set the A record", blocks: ["B", "C"], since: expect.any(Number) },
  ]);
});

test("a step names the commit of what was built behind it", () => {
  const [need] = listNeeds(claims().state);
  expect(need?.says).toMatch(/^approve the DNS change .*, ticket 4711 · built: 0dd5ea1$/);
});

test("what stops the whole run comes first, then approvals, steps, missing tickets and stalled ones", () => {
  const tickets = ["A", "B", "C", "D"].map((id) => ({ id }));
  const run = new RunBuilder(batchOf({ tickets })).fails("A");
  run.play({ type: "ticket-stalled", ticket: A, reason: "broken · 1 attempt failed", by: "attempts" });
  run.play({ type: "tracker-drifted", ticket: TicketId.parse("B"), change: { kind: "vanished", why: "gone" } });
  run.gates("C", "sign it");
  const change = { commit: "c".repeat(40), base: "a".repeat(40), change: "d", zones: ["pay/"], files: 1 };
  run
    .working("D")
    .claims("D")
    .of("D", { type: "approval-awaited", ...change }, { type: "attempt-ended", outcome: "stopped" });
  const halted = { ...run.state, halted: { kind: "authentication", says: "401" } as const };
  expect(listNeeds(halted).map(({ kind, ticket }) => [kind, ticket])).toEqual([
    ["halt", undefined],
    ["approval", "D"],
    ["step", "C"],
    ["missing", "B"],
    ["stalled", "A"],
  ]);
  expect(listNeeds(run.state).map(describeNeed)).toEqual([
    "D  approve the change of pay/ (1 file)",
    "C  sign it",
    "B  restore it in the tracker, or begin a run without it: --fresh",
    "A  broken · 1 attempt failed",
  ]);
});

test("a ticket that is left to a person and gone from the tracker has to be there again first", () => {
  const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }] })).gates("A", "sign it");
  run.play({ type: "tracker-drifted", ticket: A, change: { kind: "vanished", why: "gone" } });
  expect(listNeeds(run.state)).toMatchObject([{ kind: "missing", ticket: "A" }]);
});

test("a change that is no longer checked is one", () => {
  const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }] })).ships("A");
  const live = {
    sha: "a".repeat(40),
    from: "b".repeat(40),
    failed: 3,
    givenUp: "3 live checks could not be finished",
    history: [],
  };
  const landed: TicketState = { ...vecAt(run.state.tickets, 0), phase: "landed", live: live as unknown as LiveState };
  expect(listNeeds({ ...run.state, tickets: vecWith(run.state.tickets, 0, landed) })).toMatchObject([
    { kind: "not-live", says: `not live: ${live.givenUp}` },
  ]);
});

test("nothing is needed while work goes on", () => {
  expect(listNeeds(new RunBuilder(batchOf({ tickets: [{ id: "A" }] })).working("A").state)).toEqual([]);
  expect(listNeeds(plumbing().state).map(({ ticket }) => ticket)).toEqual(["T-5"]);
});
