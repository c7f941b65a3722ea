import { type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { RunId, TicketId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { type LoopContext, waitingRepoOf } from "../attempt/context.ts";
import { fileUnfiled } from "../attempt/discoveries.ts";
import { persistentRepo } from "../programs/persistent-repo.ts";
import type { StepScope } from "../programs/scope.ts";
import { assertTracker } from "../steps/assert.ts";
import { runVerifyStep } from "../steps/verify-step.ts";

type Verify = Extract<StepSpec, { step: "verify" }>;

/** Found in the environment of every process of a re-verification. */
export function reverifyMarker(run: RunId): string {
  return `${run}/reverify`;
}

/**
 * The last check of the world before the oracle is asked (S5.17). Every shipped commit is still in its base. Every verify command
 * passes on the base as it is now (each distinct one once per repository). The tracker still has what the engine wrote, or
 * gets it again. Reopens done tickets that fail. A human-gated ticket is not reopened, because a person may have taken its step
 * already: if its commit is gone, that is a problem. Never throws: it reports a problem, and gives it.
 */
export async function reverify(ctx: LoopContext, signal: AbortSignal): Promise<string | undefined> {
  const transients = { retried: 0, passed: 0 };
  const counted = () => (transients.retried === 0 ? {} : { transients });
  try {
    const landed = [...vecItems(ctx.state().tickets)].filter((ticket) => ticket.mergedSha !== undefined);
    // What a person closed is not taken back.
    const done = landed.filter(({ phase, byPerson }) => phase === "done" && byPerson === undefined);
    const broken = await missing(ctx, done, signal);
    for (const [id, evidence] of await failing(ctx, done, { signal, transients })) if (!broken.has(id)) broken.set(id, evidence);
    for (const [ticket, evidence] of broken) await reopen(ctx, { ticket, evidence, signal });
    if (broken.size === 0) {
      await reconcile(ctx, signal);
      for (const [ticket, { summary }] of await missing(ctx, landed.filter(isGated), signal))
        throw new Error(`${ticket} is left to a person with what was built, but ${summary}`);
    }
    ctx.report({ type: "reverify-ended", reopened: broken.size, ...counted() });
    return undefined;
  } catch (error) {
    const problem = plainText(errorMessage(error), 500);
    ctx.report({ type: "reverify-ended", reopened: 0, problem, ...counted() });
    return problem;
  }
}

function isGated({ phase }: TicketState): boolean {
  return phase === "human-gated";
}

/** The evidence of failures, by ticket. */
type Broken = Map<TicketId, Evidence>;

async function missing(ctx: LoopContext, done: readonly TicketState[], signal: AbortSignal): Promise<Broken> {
  const broken: Broken = new Map();
  for (const [id, repo] of ctx.repos) {
    const mine = done.filter((ticket) => specOf(ctx.state().plan, ticket.id).repo === id);
    if (mine.length === 0) continue;
    const gone = new Set(
      await persistentRepo(repo, ctx.outages, signal).missingFromBase(mine.map((ticket) => ticket.mergedSha as string)),
    );
    for (const ticket of mine.filter((t) => gone.has(t.mergedSha as string))) {
      const summary = `${ticket.mergedSha?.slice(0, 7)} is no longer in ${repo.base}`;
      broken.set(ticket.id, { step: "merge", name: "merge", summary, detail: "" });
    }
  }
  return broken;
}

/** A verification, and the last landed ticket that depends on it. */
interface Shared {
  readonly ticket: TicketState;
  readonly step: Verify;
  /** Keys of the verifications before it in a finish line: dev before prod. */
  readonly after: ReadonlySet<string>;
}

/** Runs each distinct verification on the base tip. Attributes a failure to the last to land of the tickets that share it. */
async function failing(
  ctx: LoopContext,
  done: readonly TicketState[],
  { signal, transients }: { readonly signal: AbortSignal; readonly transients: { retried: number; passed: number } },
): Promise<Broken> {
  const broken: Broken = new Map();
  for (const { ticket, step } of inOrder(verifications(ctx, done))) {
    const repo = waitingRepoOf(ctx, specOf(ctx.state().plan, ticket.id), signal);
    const scope = await scopeOf(ctx, ticket, { signal, step });
    const result = await runVerifyStep(ctx, scope, repo, step, await repo.baseTip());
    transients.retried += scope.retried.size;
    if (result.ok) transients.passed += scope.retried.size;
    else broken.set(ticket.id, { ...result.evidence, summary: `after all was merged: ${result.evidence.summary}` });
  }
  return broken;
}

/** The distinct verifications of shipped tickets: any difference counts, also in the expected output or in times. */
function verifications(ctx: LoopContext, done: readonly TicketState[]): ReadonlyMap<string, Shared> {
  const all = new Map<string, Shared>();
  for (const ticket of done.toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))) {
    const { finish, repo } = specOf(ctx.state().plan, ticket.id);
    const before: string[] = [];
    for (const step of finish) {
      if (step.step !== "verify") continue;
      const key = JSON.stringify([repo, step]);
      all.set(key, { ticket, step, after: new Set([...(all.get(key)?.after ?? []), ...before]) });
      before.push(key);
    }
  }
  return all;
}

/** Each verification after those before it in any finish line; if finish lines contradict each other, in the order they came. */
function inOrder(all: ReadonlyMap<string, Shared>): readonly Shared[] {
  const taken = new Set<string>();
  const order: Shared[] = [];
  const take = (key: string): void => {
    const shared = all.get(key);
    if (shared === undefined || taken.has(key)) return;
    taken.add(key);
    for (const before of shared.after) take(before);
    order.push(shared);
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

async function scopeOf(
  ctx: LoopContext,
  ticket: TicketState,
  { signal, step }: { readonly signal: AbortSignal; readonly step: Verify },
): Promise<StepScope> {
  const n = ticket.history.at(-1)?.n ?? 0;
  const spec = specOf(ctx.state().plan, ticket.id);
  return {
    ticket: spec,
    marker: reverifyMarker(ctx.run),
    signal,
    ending: () => "stopped",
    files: await ctx.files.attempt(ticket.id, n),
    // No attempt could own the fact: retries are counted instead.
    announce: () => true,
    retried: new Set(),
    turn: { step: spec.finish.indexOf(step), name: stepName(step), rest: (idle) => idle() },
  };
}
