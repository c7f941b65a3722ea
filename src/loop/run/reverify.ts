import { stepName } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { isBeingReverted, isLandedNotLive } from "../../domain/run/live-check.ts";
import { ticketById } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import { describeHold, isCheckedAhead } from "../../domain/schedule/environments.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { RunId, TicketId } from "../../domain/values/ids.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { type LoopContext, waitingRepo } from "../attempt/context.ts";
import { fileUnfiled } from "../attempt/discoveries.ts";
import { persistentRepo } from "../programs/persistent-repo.ts";
import { assertTracker } from "../steps/assert.ts";
import { runVerifyStep } from "../steps/verify-step.ts";
import { ticketsLandedEarlier } from "./landed-earlier.ts";
import { assertLive, endLiveCheck, inconclusiveCheck, type Verify, verifyScope, waitingCheck } from "./live-check.ts";
import { type Broken, missing, notGreen } from "./missing-changes.ts";

/** Found in the environment of every process of a re-verification. */
export function reverifyMarker(run: RunId): string {
  return `${run}/reverify`;
}

/**
 * The last check of the world before the oracle is asked (S5.17). The base still holds every shipped change. Every verify command
 * passes on the base as it is now (each distinct one once per repository). The tracker still has what the engine wrote, or
 * gets it again. Every landed ticket that is not live is checked as well. Reopens done tickets that fail. A human-gated ticket is
 * not reopened, because a person may have taken its step already: if its change is gone, that is a problem. Never throws: it
 * reports a problem, and returns it. If people commit to a base after it has read the tips, another one follows.
 */
export async function reverify(
  ctx: LoopContext,
  { signal, pollPeople }: { readonly signal: AbortSignal; readonly pollPeople: () => Promise<void> },
): Promise<string | undefined> {
  const transients = { retried: 0, passed: 0 };
  const counted = () => (transients.retried === 0 ? {} : { transients });
  const notLive = [...vecItems(ctx.state().tickets)].filter((ticket) => isCheckedLast(ctx, ticket));
  for (const { id } of notLive) ctx.report({ type: "live-check-started", ticket: id, why: "end" });
  try {
    const landed = [...vecItems(ctx.state().tickets)].filter(({ mergedSha }) => mergedSha !== undefined);
    // A ticket that a person closed stays closed.
    const own = landed.filter(({ phase, closedByPerson }) => phase === "done" && closedByPerson === undefined);
    const done = [...(await ticketsLandedEarlier(ctx, signal)), ...own];
    await pollPeople();
    const tips = await baseTips(ctx, signal);
    const broken = await missing(ctx, done, signal);
    for (const [id, evidence] of await notGreen(ctx, own, signal)) broken.set(id, evidence);
    const gone = await missing(ctx, notLive, signal);
    const present = [...done, ...notLive].filter(({ id }) => !broken.has(id) && !gone.has(id));
    const { results, held } = await verified(ctx, present, { signal, transients });
    for (const [id, evidence] of attributeFailures(ctx, done, { notLive, results }))
      if (!broken.has(id)) broken.set(id, evidence);
    const stillNotLive = await endLastChecks(ctx, notLive, { signal, results, held, gone });
    for (const [ticket, evidence] of broken) await reopen(ctx, { ticket, evidence, signal });
    if (broken.size === 0) {
      await reconcile(ctx, signal);
      for (const [ticket, { summary }] of await missing(ctx, landed.filter(isGated), signal))
        throw new Error(`${ticket} is left to a person with what was built, but ${summary}`);
    }
    const checked = { checked: done.length + notLive.length, notLive: stillNotLive.length };
    // It explained failures of others, and no longer does: a person has settled it meanwhile.
    const isOutdated = stillNotLive.some((id) => !isLandedNotLive(ticketById(ctx.state(), id)));
    const outdated = isOutdated ? { outdated: true as const } : {};
    ctx.report({ type: "reverify-ended", reopened: broken.size, ...checked, ...outdated, tips, ...counted() });
    return undefined;
  } catch (error) {
    const problem = plainText(errorMessage(error), 500);
    for (const { id } of notLive) await endLiveCheck(ctx, id, inconclusiveCheck(problem));
    ctx.report({ type: "reverify-ended", reopened: 0, problem, ...counted() });
    return problem;
  }
}

/**
 * True if the last re-verification checks a ticket that has landed and is not live, given up or not. One that was done and
 * reopened more often than it may have attempts passes and fails by turns: it is not checked for ever. A run for one ticket
 * checks no other.
 */
function isCheckedLast({ batch, state }: LoopContext, ticket: TicketState): boolean {
  const { attempt, gate, live } = ticket;
  if (live === undefined || !isLandedNotLive(ticket) || attempt !== undefined || gate !== undefined) return false;
  const { checksTicket = ticket.id } = state();
  if (checksTicket !== ticket.id) return false;
  return !isBeingReverted(live) && live.checking === undefined && live.reopened <= batch.limits.attempts;
}

/** Ends the last checks of tickets that are not live, each by the results of its own steps. Gives those that are still not live. */
async function endLastChecks(
  ctx: LoopContext,
  notLive: readonly TicketState[],
  {
    signal,
    results,
    held,
    gone,
  }: { readonly signal: AbortSignal; readonly results: Results; readonly held: HeldSteps; readonly gone: Broken },
): Promise<readonly TicketId[]> {
  const still: TicketId[] = [];
  for (const ticket of notLive) {
    const lost = gone.get(ticket.id);
    const failure = verifyKeys(ctx, ticket)
      .map((key) => results.get(key))
      .find((evidence) => evidence !== undefined);
    const waits = verifyKeys(ctx, ticket)
      .map((key) => held.get(key))
      .find((hold) => hold !== undefined);
    if (failure !== undefined || lost !== undefined || waits !== undefined) still.push(ticket.id);
    if (signal.aborted) await endLiveCheck(ctx, ticket.id, inconclusiveCheck("the live check was stopped"));
    else if (lost !== undefined) await endLiveCheck(ctx, ticket.id, { ok: false, evidence: lost, problem: "gone" });
    else if (failure !== undefined) await endLiveCheck(ctx, ticket.id, { ok: false, evidence: failure });
    else if (waits !== undefined) await endLiveCheck(ctx, ticket.id, waitingCheck(waits.step, waits.summary));
    else await endLiveCheck(ctx, ticket.id, await assertLive(ctx, ticket, signal));
  }
  return still;
}

/** The tips of all bases, by repository. */
async function baseTips(ctx: LoopContext, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
  const tips = [...ctx.repos].map(async ([id, repo]) => [id, await persistentRepo(repo, ctx.outages, signal).baseTip()] as const);
  return Object.fromEntries(await Promise.all(tips));
}

function isGated({ phase }: TicketState): boolean {
  return phase === "human-gated";
}

/** A verification, and a ticket that it is run for. */
interface Shared {
  readonly ticket: TicketState;
  readonly step: Verify;
  /** Keys of the verifications before it in a finish line: dev before prod. */
  readonly after: ReadonlySet<string>;
  /** Those of any ticket on the same base that check an earlier environment. */
  readonly ahead: ReadonlySet<string>;
}

/** The results of verifications by key: the evidence of a failure, undefined for one that passed. */
type Results = ReadonlyMap<string, Evidence | undefined>;

/** Verifications that did not run by key, because one of an earlier environment had failed on the same base. */
type HeldSteps = ReadonlyMap<string, { readonly step: Verify; readonly summary: string }>;

/** Runs each distinct verification on the base tip: those of dev first, and those of prod only if none of dev has failed. */
async function verified(
  ctx: LoopContext,
  landed: readonly TicketState[],
  { signal, transients }: { readonly signal: AbortSignal; readonly transients: { retried: number; passed: number } },
): Promise<{ readonly results: Results; readonly held: HeldSteps }> {
  const results = new Map<string, Evidence | undefined>();
  const held = new Map<string, { readonly step: Verify; readonly summary: string }>();
  /** The failed verification that holds back another one, by the key of that. */
  const causes = new Map<string, string>();
  const all = verifications(ctx, landed);
  for (const [key, { ticket, step, ahead }] of inOrder(all)) {
    // What an earlier environment waits for holds back the later ones, too.
    const failed = [...ahead].map((each) => (results.get(each) === undefined ? causes.get(each) : each)).find(Boolean);
    const before = failed === undefined ? undefined : all.get(failed);
    if (failed !== undefined && before !== undefined) {
      const summary = describeHold(stepName(step), { failing: stepName(before.step), ticket: before.ticket.id });
      held.set(key, { step, summary });
      causes.set(key, failed);
      continue;
    }
    if (!landed.some((one) => hasPassedBefore(ctx, one, { key, results }))) continue;
    const repo = waitingRepo(ctx, plannedTicket(ctx.state().plan, ticket.id), signal);
    const scope = await verifyScope(ctx, ticket, { signal, marker: reverifyMarker(ctx.run), step });
    const result = await runVerifyStep(ctx, scope, repo, step, await repo.baseTip());
    transients.retried += scope.retried.size;
    if (result.ok) transients.passed += scope.retried.size;
    results.set(key, result.ok ? undefined : result.evidence);
  }
  return { results, held };
}

/**
 * Attributes each failure to the last to land of the done tickets that share the verification; to none if a ticket shares it that
 * is known not to be live.
 */
function attributeFailures(
  ctx: LoopContext,
  done: readonly TicketState[],
  { notLive, results }: { readonly notLive: readonly TicketState[]; readonly results: Results },
): Broken {
  const broken: Broken = new Map();
  const explained = new Set(notLive.flatMap((ticket) => verifyKeys(ctx, ticket)));
  for (const [key, { ticket }] of verifications(ctx, done)) {
    const evidence = results.get(key);
    if (evidence === undefined || explained.has(key)) continue;
    broken.set(ticket.id, { ...evidence, summary: `after all was merged: ${evidence.summary}` });
  }
  return broken;
}

/** The `verify` steps of a ticket, in order: any difference counts, also in the expected output or in times. */
function verifySteps(ctx: LoopContext, { id }: TicketState): readonly { readonly key: string; readonly step: Verify }[] {
  const { finish, repo } = plannedTicket(ctx.state().plan, id);
  return finish.flatMap((step) => (step.step === "verify" ? [{ key: JSON.stringify([repo, step]), step }] : []));
}

/** True if the ticket has this verification, and those before it in its finish line have passed: dev before prod. */
function hasPassedBefore(ctx: LoopContext, ticket: TicketState, { key, results }: { key: string; results: Results }): boolean {
  const keys = verifyKeys(ctx, ticket);
  return (
    keys.includes(key) &&
    keys.slice(0, keys.indexOf(key)).every((before) => results.has(before) && results.get(before) === undefined)
  );
}

function verifyKeys(ctx: LoopContext, ticket: TicketState): readonly string[] {
  return verifySteps(ctx, ticket).map(({ key }) => key);
}

/** The distinct verifications of landed tickets, each with the last one to land of those that share it. */
function verifications(ctx: LoopContext, landed: readonly TicketState[]): ReadonlyMap<string, Shared> {
  const all = new Map<string, Shared>();
  const since = ({ endedAt, live }: TicketState) => endedAt ?? live?.landedAt ?? 0;
  for (const ticket of landed.toSorted((a, b) => since(a) - since(b))) {
    const before: string[] = [];
    for (const { key, step } of verifySteps(ctx, ticket)) {
      all.set(key, { ticket, step, after: new Set([...(all.get(key)?.after ?? []), ...before]), ahead: new Set() });
      before.push(key);
    }
  }
  return withEnvironments(ctx, all);
}

function withEnvironments(ctx: LoopContext, all: ReadonlyMap<string, Shared>): ReadonlyMap<string, Shared> {
  const { plan } = ctx.state();
  const finishes = new Map([...all].map(([key, { ticket }]) => [key, plannedTicket(plan, ticket.id)]));
  const isAhead = (other: string, key: string): boolean => {
    const [before, after] = [all.get(other)?.step.environment, all.get(key)?.step.environment];
    const [theirs, own] = [finishes.get(other), finishes.get(key)];
    if (before === undefined || after === undefined || theirs === undefined || own?.repo !== theirs.repo) return false;
    return before !== after && isCheckedAhead([own.finish, theirs.finish], before, after);
  };
  return new Map(
    [...all].map(([key, shared]) => {
      const ahead = new Set([...all.keys()].filter((other) => isAhead(other, key)));
      return [key, { ...shared, after: new Set([...shared.after, ...ahead]), ahead }];
    }),
  );
}

/** Each verification after those before it in any finish line; if finish lines contradict each other, in the order they came. */
function inOrder(all: ReadonlyMap<string, Shared>): readonly (readonly [key: string, shared: Shared])[] {
  const taken = new Set<string>();
  const order: (readonly [string, Shared])[] = [];
  const take = (key: string): void => {
    const shared = all.get(key);
    if (shared === undefined || taken.has(key)) return;
    taken.add(key);
    for (const before of shared.after) take(before);
    order.push([key, shared]);
  };
  for (const key of all.keys()) take(key);
  return order;
}

/**
 * Takes a ticket's Done back, in the tracker first: if all further attempts fail, the oracle must not find the old one. If this
 * is interrupted, the next re-verification reopens the ticket again or asserts it again.
 */
async function reopen(ctx: LoopContext, options: { ticket: TicketId; evidence: Evidence; signal: AbortSignal }): Promise<void> {
  const { ticket, evidence, signal } = options;
  const note = `reopened by run ${ctx.run}: ${evidence.summary}`;
  const result = await assertTracker(ctx, { ticket, state: { as: "open" }, note, signal });
  if (!result.ok) throw new Error(`${ticket}: ${result.evidence.summary}`);
  ctx.report({ type: "ticket-reopened", ticket, evidence });
}

/**
 * Files what the tracker lacks and reads it once more. What the engine wrote and the tracker lost is written again; what somebody
 * else wrote takes effect. Throws if a ticket cannot be read.
 */
async function reconcile(ctx: LoopContext, signal: AbortSignal): Promise<void> {
  await fileUnfiled(ctx, signal);
  await ctx.outages.persist("tracker", () => ctx.tracker.snapshot(), { signal });
}
