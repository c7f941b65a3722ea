import { describe, expect, test } from "vitest";
import { AttemptOver, type StepFact, type StepScope } from "../../src/loop/programs/scope.ts";
import { conflictEvidence, type MergeNeeds, merge } from "../../src/loop/steps/merge.ts";
import type { Landing, Repo } from "../../src/ports/vcs.ts";
import { batchOf, Simulation, ticketOf } from "../domain/simulate.ts";
import { FakeClock } from "./fake-clock.ts";

/** A merge over a repository that answers by a script. */
function scene(landings: readonly Landing[], over: { tips?: readonly string[]; admit?: (fact: StepFact) => boolean } = {}) {
  const clock = new FakeClock();
  const controller = new AbortController();
  const facts: StepFact[] = [];
  const lands: string[] = [];
  const script = [...landings];
  const tips = [...(over.tips ?? [])];
  const repo: Pick<Repo, "id" | "base" | "baseTip" | "land"> = {
    id: "app" as Repo["id"],
    base: "main",
    baseTip: () => Promise.resolve(tips.shift() ?? "base-0"),
    land: (options) => {
      lands.push(`${options.from}→${options.to}`);
      return Promise.resolve(script.shift() ?? { as: "landed" });
    },
  };
  let checks = 0;
  const needs: MergeNeeds = {
    repo: repo as Repo,
    checked: { ok: true, base: "base-0", commit: "candidate-0" },
    isOutdated: () => false,
    checkAgain: () => {
      checks += 1;
      return Promise.resolve({ ok: true, base: "base-0", commit: `candidate-${checks}` });
    },
    landedProof: () => undefined,
    inTurn: (land) => land(),
  };
  const ticket = ticketOf("T-1");
  const batch = batchOf([ticket]);
  const { state } = new Simulation(batch);
  const ctx = { clock, batch, state: () => state };
  const announce = (fact: StepFact) => (facts.push(fact), over.admit?.(fact) ?? true);
  const scope = { ticket, marker: "", signal: controller.signal, ending: () => "killed-by-person", announce };
  const run = async () => {
    const result = await merge(ctx, scope as StepScope, needs);
    facts.push(...(result.facts ?? []));
    return result;
  };
  return {
    clock,
    controller,
    facts,
    lands,
    needs,
    run,
    checks: () => checks,
    types: () => facts.map((fact) => fact.type),
  };
}

const moved: Landing = { as: "moved", tip: "base-1" };
const refused: Landing = { as: "refused", reason: "origin refuses the push: GH006\u001b[2J", isForbidden: true };
const waiting: Landing = { as: "waiting", reason: "dirty\u001b[2J\ncheckout" };
/** Lets promises that are due go on, until a timer waits. */
const untilItWaits = async (clock: FakeClock) => {
  while (clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
};

describe("merge", () => {
  test("lands the checked candidate, announced before and told afterwards", async () => {
    const { run, facts, lands, checks } = scene([]);
    expect(await run()).toMatchObject({ ok: true, summary: "landed on main as candida", commit: "candidate-0" });
    expect(lands).toEqual(["base-0→candidate-0"]);
    expect(facts).toMatchObject([
      { type: "merge-intended", from: "base-0", to: "candidate-0", repo: "app" },
      { type: "merge-landed", from: "base-0", to: "candidate-0" },
    ]);
    expect(checks()).toBe(0);
  });

  test("a push that the forge refuses three times is a person's, with the forge's words, and nothing of it is left half done", async () => {
    const { run, clock, lands, facts } = scene([refused, refused, refused]);
    const over = run().then(
      () => undefined,
      (error: unknown) => error,
    );
    for (const ms of [2_000, 10_000]) {
      await untilItWaits(clock);
      clock.advance(ms);
    }
    expect(await over).toMatchObject({ end: { outcome: "gated" } });
    expect(lands).toHaveLength(3);
    expect(facts.at(-1)).toEqual({
      type: "landing-gated",
      step: "let loopdash push to main and reopen the ticket, or push its kept work yourself and close the ticket: origin refuses the push: GH006",
    });
  });

  test("a push that the forge refuses three times for what it holds fails the attempt, with the forge's words as evidence", async () => {
    const tooLarge: Landing = { as: "refused", reason: "origin refuses the push: GH001: large files\u001b[2J" };
    const { run, clock, lands, types } = scene([tooLarge, tooLarge, tooLarge]);
    const over = run().catch((error: unknown) => error);
    for (const ms of [2_000, 10_000]) {
      await untilItWaits(clock);
      clock.advance(ms);
    }
    const summary = "the push is refused: origin refuses the push: GH001: large files";
    expect(await over).toMatchObject({ end: { outcome: "failed", evidence: { step: "merge", summary } } });
    expect(lands).toHaveLength(3);
    expect(types()).not.toContain("landing-gated");
  });

  test("a push that the forge refuses once lands at the next try", async () => {
    const { run, clock, types } = scene([refused]);
    const landed = run();
    await untilItWaits(clock);
    clock.advance(2_000);
    expect(await landed).toMatchObject({ ok: true });
    expect(types()).toEqual(["merge-intended", "merge-waiting", "merge-intended", "merge-landed"]);
  });

  test("a base that moved since the check is checked again: what was checked is what lands", async () => {
    const { run, lands, checks } = scene([], { tips: ["base-9", "base-0"] });
    expect(await run()).toMatchObject({ ok: true, commit: "candidate-1" });
    expect([checks(), lands]).toEqual([1, ["base-0→candidate-1"]]);
  });

  test("a swap that is lost is tried again on what is there now", async () => {
    const { run, lands } = scene([moved], { tips: ["base-0", "base-1"] });
    expect(await run()).toMatchObject({ ok: true, commit: "candidate-1" });
    expect(lands).toEqual(["base-0→candidate-0", "base-0→candidate-1"]);
  });

  test("a base that never stands still is chased five times, no more", async () => {
    const { run, lands } = scene(Array.from({ length: 9 }, () => moved));
    const summary = "the base moved 5 times while the change was being merged";
    expect(await run()).toMatchObject({ ok: false, evidence: { step: "merge", summary } });
    expect(lands).toHaveLength(5);
  });

  test("a checkout that is in the way is waited for, ever longer, and the reason is told on one plain line", async () => {
    const { run, clock, facts, types, lands } = scene([waiting, waiting]);
    const result = run();
    await untilItWaits(clock);
    expect(facts.at(-1)).toMatchObject({ type: "merge-waiting", reason: "dirty checkout" });
    clock.advance(499);
    expect(lands).toHaveLength(1);
    clock.advance(1);
    await untilItWaits(clock);
    clock.advance(1_000);
    expect(await result).toMatchObject({ ok: true });
    expect(types()).toEqual([
      "merge-intended",
      "merge-waiting",
      "merge-intended",
      "merge-waiting",
      "merge-intended",
      "merge-landed",
    ]);
  });

  test("it waits no longer than an attempt may take; then a person is told the step, and no agent pays for it", async () => {
    const { run, clock, facts } = scene(Array.from({ length: 99 }, () => waiting));
    const result = run().catch((error: unknown) => error);
    let over = false;
    void result.then(() => (over = true));
    for (let i = 0; !over && i < 99; i++) {
      await Promise.race([untilItWaits(clock), result]);
      clock.advance(5_000);
    }
    expect(await result).toMatchObject({ end: { outcome: "gated" } });
    expect(facts.at(-1)).toMatchObject({
      type: "landing-gated",
      step: "clear the way for the merge and reopen the ticket; it waited for this: dirty checkout",
    });
  });

  test("cancelled while it waits: it lands nothing more", async () => {
    const { run, clock, controller, lands } = scene([waiting]);
    const result = run();
    await untilItWaits(clock);
    controller.abort();
    await expect(result).rejects.toMatchObject({ end: { outcome: "killed" } });
    expect(lands).toHaveLength(1);
    expect(clock.waiting).toBe(0);
  });

  test("called off while the base is looked at, or the candidate checked again: nothing is announced", async () => {
    const looked = scene([]);
    const result = looked.run();
    looked.controller.abort();
    await expect(result).rejects.toBeInstanceOf(AttemptOver);
    const checked = scene([], { tips: ["base-9"] });
    const { checkAgain } = checked.needs;
    checked.needs.checkAgain = () => (checked.controller.abort(), checkAgain());
    await expect(checked.run()).rejects.toBeInstanceOf(AttemptOver);
    expect([...looked.facts, ...checked.facts, ...looked.lands, ...checked.lands]).toEqual([]);
  });

  test("an intent that is not admitted is not acted upon", async () => {
    const { run, lands } = scene([], { admit: () => false });
    await expect(run()).rejects.toMatchObject({ end: { outcome: "stopped" } });
    expect(lands).toEqual([]);
  });
});

test("a conflict names its files, bounded and plain", () => {
  const of = { ok: false, base: "b", detail: "CONFLICT in a" } as const;
  expect(conflictEvidence({ ...of, conflicts: ["a\nb"] })).toMatchObject({
    evidence: { step: "merge", summary: "conflict with the base in a b", detail: "a b\nCONFLICT in a" },
  });
  const over = conflictEvidence({ ...of, conflicts: [], detail: "it took longer than 120 s" });
  expect(over).toMatchObject({ evidence: { summary: "it cannot be merged with the base: it took longer than 120 s" } });
  const conflicts = Array.from({ length: 50 }, (_, i) => `f${i}`);
  const many = conflictEvidence({ ...of, conflicts });
  expect(many.evidence.summary).toBe("conflict with the base in 50 files");
  expect(many.evidence.detail).toContain("and 30 more");
});
