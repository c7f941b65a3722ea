import { expect, test } from "vitest";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { runOnCommit } from "../../../src/loop/programs/run-on-commit.ts";
import type { StepFact, StepScope } from "../../../src/loop/programs/scope.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { CHECK, judged, opened, T1, tap } from "../evidence-stage.ts";

cleanUp();

test("every run of a check is counted by its purpose, and tells the time of the one before", async () => {
  using at = await opened({ change: { tests: tap("a b c d") } });
  const { landed } = await judged(at);
  expect(landed).toBe(true);
  const suites = at.of("suite-ran").map(({ check, purpose, repo, tickets }) => ({ check, purpose, repo, tickets }));
  const [base, own] = ["base", "check"].map((purpose) => ({ check: "tests", purpose, repo: "app", tickets: [T1] }));
  // The base is measured beside the candidate: either may be first.
  expect(suites.slice(0, 2)).toEqual(expect.arrayContaining([base, own]));
  const times = at.of("suite-ran").map(({ ms }) => ms);
  const started = at.of("step-part-started").filter(({ part }) => !part.endsWith("preparing"));
  const parts = started.slice(0, 2).map(({ part, expectedMs }) => [part, expectedMs]);
  expect(parts).toEqual(
    expect.arrayContaining([
      ["the base, to compare with: running", undefined],
      ["", undefined],
    ]),
  );
  for (const { expectedMs } of started.slice(2)) if (expectedMs !== undefined) expect(times).toContain(expectedMs);
  const { suites: counted } = computeLedger(at.state);
  expect(counted).toMatchObject({ run: at.of("suite-ran").length, perLanded: at.of("suite-ran").length });
});

test("a run for a train is announced for each of its tickets, and counted once for all of them; any other command is none", async () => {
  using at = await opened();
  const { ctx, repo } = at.engine;
  const files = await ctx.files.attempt(T1, 1);
  const own: StepFact[] = [];
  const others: StepFact[] = [];
  const scope: StepScope = {
    ticket: at.state.plan.tickets[0] as StepScope["ticket"],
    marker: "train",
    signal: new AbortController().signal,
    ending: () => "stopped",
    files,
    announce: (fact) => own.push(fact) > 0,
    retried: new Set(),
    train: { tickets: [T1, TicketId.parse("T-3")], behind: () => 2, announceToOthers: (fact) => others.push(fact) },
  };
  const commit = await repo.baseTip();
  const command = { step: CHECK, commit, attributesOf: commit, log: "check" } as const;
  await runOnCommit(ctx, scope, repo, { ...command, purpose: "check" });
  const outlook = { train: ["T-1", "T-3"], behind: 2 };
  expect(own).toEqual([{ type: "step-part-started", part: "", ...outlook }]);
  expect(others).toEqual(own);
  expect(at.of("suite-ran")).toMatchObject([{ purpose: "check", tickets: ["T-1", "T-3"] }]);
  await runOnCommit(ctx, scope, repo, { ...command, purpose: undefined });
  expect(at.of("suite-ran")).toHaveLength(1);
});
