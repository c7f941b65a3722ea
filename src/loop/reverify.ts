import type { StepSpec } from "../domain/batch/schema.ts";
import type { Evidence } from "../domain/event.ts";
import type { Fence } from "../domain/ids.ts";
import type { TicketState } from "../domain/state.ts";
import { plainText } from "../domain/text.ts";
import { vecItems } from "../domain/vec.ts";
import type { OpenAttempt } from "./attempt-scope.ts";
import { type LoopContext, repoOf } from "./context.ts";
import { assertTracker } from "./steps/assert.ts";
import { runCommandStep } from "./steps/command-step.ts";

type Verify = Extract<StepSpec, { step: "verify" }>;

/**
 * The last look at the world before the oracle is asked: every shipped commit is still in its base, every verify
 * command passes on the base as it is now (each distinct one once per repository), and the tracker still says what
 * was asserted, or is told again (S5.17). Tickets that fail are reopened. Never throws: a problem is reported.
 */
export async function reverify(ctx: LoopContext, signal: AbortSignal): Promise<void> {
  try {
    const done = [...vecItems(ctx.state().tickets)].filter((ticket) => ticket.phase === "done" && ticket.mergedSha !== undefined);
    const reopened = (await reopenMissing(ctx, done)) + (await reopenBroken(ctx, done, signal));
    if (reopened === 0) await reassert(ctx, signal);
    ctx.report({ type: "reverify-ended", reopened });
  } catch (error) {
    const problem = plainText(error instanceof Error ? error.message : String(error), 500);
    ctx.report({ type: "reverify-ended", reopened: 0, problem });
  }
}

async function reopenMissing(ctx: LoopContext, done: readonly TicketState[]): Promise<number> {
  let reopened = 0;
  for (const [id, repo] of ctx.repos) {
    const mine = done.filter((ticket) => ticketSpec(ctx, ticket).repo === id);
    if (mine.length === 0) continue;
    const missing = new Set(await repo.missingFromBase(mine.map((ticket) => ticket.mergedSha as string)));
    for (const ticket of mine.filter((t) => missing.has(t.mergedSha as string))) {
      const summary = `${ticket.mergedSha?.slice(0, 7)} is no longer in ${repo.base}`;
      reopen(ctx, ticket, { step: "merge", name: "merge", summary, detail: "" });
      reopened += 1;
    }
  }
  return reopened;
}

/** Runs each distinct verify command on the base tip. Of the tickets that share a failing one, the last to land is reopened. */
async function reopenBroken(ctx: LoopContext, done: readonly TicketState[], signal: AbortSignal): Promise<number> {
  const last = new Map<string, { ticket: TicketState; step: Verify }>();
  for (const ticket of done.toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))) {
    const spec = ticketSpec(ctx, ticket);
    for (const step of spec.finish) {
      if (step.step === "verify") last.set(JSON.stringify([spec.repo, step.command]), { ticket, step });
    }
  }
  let reopened = 0;
  for (const { ticket, step } of last.values()) {
    const spec = ticketSpec(ctx, ticket);
    const repo = repoOf(ctx, spec);
    const scope = await scopeOf(ctx, ticket, signal);
    const result = await runCommandStep(ctx, scope, repo, step, await repo.baseTip());
    if (result.ok) continue;
    reopen(ctx, ticket, { ...result.evidence, summary: `after all was merged: ${result.evidence.summary}` });
    reopened += 1;
  }
  return reopened;
}

/** Tells the tracker again what it has forgotten. One read; a write only where it differs. */
async function reassert(ctx: LoopContext, signal: AbortSignal): Promise<void> {
  const said = new Map((await ctx.tracker.snapshot()).map((t) => [t.id, t.state]));
  for (const ticket of vecItems(ctx.state().tickets)) {
    const now = said.get(ticket.id);
    if (ticket.phase === "done" && now?.as !== "done") {
      const note = `asserted again by run ${ctx.run}`;
      const result = await assertTracker(ctx, { ticket: ticket.id, state: { as: "done" }, note, signal });
      if (!result.ok) throw new Error(`${ticket.id}: ${result.evidence.summary}`);
    }
    if (ticket.phase === "human-gated" && now?.as === "open" && ticket.humanStep !== undefined) {
      const state = { as: "human-gated", step: ticket.humanStep } as const;
      const result = await assertTracker(ctx, { ticket: ticket.id, state, note: `asserted again by run ${ctx.run}`, signal });
      if (!result.ok) throw new Error(`${ticket.id}: ${result.evidence.summary}`);
    }
  }
}

function ticketSpec(ctx: LoopContext, ticket: TicketState) {
  const { plan } = ctx.state();
  return plan.tickets[plan.index[ticket.id] as number] as (typeof plan.tickets)[number];
}

async function scopeOf(ctx: LoopContext, ticket: TicketState, signal: AbortSignal): Promise<OpenAttempt> {
  const n = ticket.history.at(-1)?.n ?? 0;
  return {
    ticket: ticketSpec(ctx, ticket),
    n,
    // No attempt runs, so nothing is reported under this fence.
    fence: 0 as Fence,
    marker: `${ctx.run}/reverify`,
    signal,
    ending: () => "stopped",
    files: await ctx.files.attempt(ticket.id, n),
  };
}

function reopen(ctx: LoopContext, ticket: TicketState, evidence: Evidence): void {
  ctx.report({ type: "ticket-reopened", ticket: ticket.id, evidence });
}
