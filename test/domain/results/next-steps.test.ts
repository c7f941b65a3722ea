import { expect, test } from "vitest";
import { nextSteps } from "../../../src/domain/results/next-steps.ts";
import type { EndKind } from "../../../src/domain/run/event.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { landNotLive } from "../play-live.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

function ended(kind: EndKind) {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.report({ type: "run-ended", kind, verdict: "unjudged", exitCode: 1, reason: "why" });
  return nextSteps(sim.state);
}

test("a run that is done, or goes on, has no next step", () => {
  expect(ended("oracle-done")).toBeUndefined();
  expect(nextSteps(new Simulation(batchOf([ticketOf("T-1")])).state)).toBeUndefined();
});

test("a run that was stopped needs nothing but its command", () => {
  expect(ended("interrupted")).toEqual({
    command: expect.stringMatching(/^loopdash \S/),
    kept: expect.stringMatching(/^this run continues/),
  });
});

test.each<[EndKind, RegExp, RegExp]>([
  ["not-done", /tickets named above/, /^a new run takes over the work that agents left on open tickets$/],
  ["tripwire", /no verdict can be believed/, /^a new run/],
  ["unjudged", /what the reason above names/, /^this run continues/],
  ["engine-failure", /what the reason above names/, /^a new run/],
])("%s: what to fix, the command, what is kept", (kind, fix, kept) => {
  expect(ended(kind)).toMatchObject({
    fix: expect.stringMatching(fix),
    command: expect.stringMatching(/^loopdash \S/),
    kept: expect.stringMatching(kept),
  });
});

test.each<[EndKind, RegExp]>([
  ["interrupted", /^this run continues/],
  ["not-done", /^a new loop begins/],
])("a loop of `loopdash ci` that is %s goes on by that verb, and not by its batch file", (kind, kept) => {
  const loop = { ...batchOf([ticketOf("CI-1")]), name: "ci fix-login" };
  const forge = { kind: "github-branch", remote: "origin", fixMode: "safe", appearMinutes: 10 } as const;
  const repos = Object.fromEntries(
    Object.entries(loop.repos).map(([name, repo]) => [name, { ...repo, base: "fix/login", forge }]),
  );
  const sim = new Simulation({ ...loop, repos });
  sim.report({ type: "run-ended", kind, verdict: "unjudged", exitCode: 1, reason: "why" });
  expect(nextSteps(sim.state)).toMatchObject({
    command: "loopdash ci fix/login (with the same options)",
    kept: expect.stringMatching(kept),
  });
});

test("a run that has ended with landed tickets that are not live names the command that checks them", () => {
  const sim = new Simulation({ ...batchOf([ticketOf("T-1")]), live: { repeats: 0, everySeconds: 1 } });
  sim.decide();
  landNotLive(sim, TicketId.parse("T-1"));
  sim.report({ type: "run-ended", kind: "not-done", verdict: "not-done", exitCode: 1, reason: "why" });
  expect(nextSteps(sim.state)?.check).toBe("loopdash verify test-run (1 landed ticket is not live; starts no agent)");
  expect(ended("not-done")?.check).toBeUndefined();
});
