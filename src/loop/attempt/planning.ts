import { lacksPlan, planToJudge } from "../../domain/complexity/planned.ts";
import { readAnswer } from "../../domain/review/answer.ts";
import { countBySeverity, Review, ruleOnReview } from "../../domain/review/review.ts";
import { planDigest, planText } from "../../domain/run/plan-fact.ts";
import { ticketById } from "../../domain/run/state.ts";
import type { Change, Repo } from "../../ports/vcs.ts";
import { type AttemptEnd, AttemptOver } from "../programs/scope.ts";
import { askReviewer } from "../questions/ask.ts";
import { renderPlanQuestion } from "../questions/plan-prompt.ts";
import { type AgentRun, cutShort } from "./agent-end.ts";
import { type AttemptScope, createAnnouncer, type LoopContext, type OpenAttempt } from "./context.ts";

/** Time for the reviewer's verdict on a plan, unless the batch gives an attempt less. Minutes. */
const ASK_MINUTES = 15;

/** A plan to judge, and the base that it is about. */
interface PlanToJudge {
  readonly text: string;
  readonly digest: string;
  readonly baseSha: string;
}

/** True if the next agent of the ticket is asked for a plan alone. */
export function isToPlan(
  { batch, state }: Pick<LoopContext, "batch" | "state">,
  { ticket }: Pick<AttemptScope, "ticket">,
): boolean {
  return lacksPlan(batch, ticketById(state(), ticket.id));
}

/**
 * An attempt that asks its agent (`run`) for a plan, and the reviewer for a verdict on it. Whatever the agent changed is never captured, and
 * of its outbox only the plan is read. Without a plan, or if it is refused, the attempt has failed.
 */
export async function planFirst(
  ctx: LoopContext,
  open: OpenAttempt,
  repo: Repo,
  { baseSha, run }: { readonly baseSha: string; readonly run: () => Promise<AgentRun> },
): Promise<AttemptEnd> {
  const at = { ticket: open.ticket.id, fence: open.fence };
  tell(ctx, { type: "plan-asked", ...at });
  const result = await run();
  const cut = cutShort(open, result);
  if (cut !== undefined) return cut;
  const { plan = "", refused } = await ctx.outbox.read(open.files.outbox);
  const text = planText(plan);
  if (text === "") {
    const why = refused.find(({ file }) => file === "plan.md")?.why;
    const summary = why === undefined ? "its agent left no plan in plan.md" : `plan.md of its agent was not taken: ${why}`;
    tell(ctx, { type: "plan-judged", ...at, ok: false, summary });
    return { outcome: "failed" };
  }
  return judge(ctx, open, repo, { text, digest: planDigest(text), baseSha });
}

/** An attempt without an agent, which goes on with the plan of an earlier one that nobody has judged. */
export async function judgeWrittenPlan(
  ctx: LoopContext,
  scope: AttemptScope,
  repo: Repo,
  tree: { readonly path: string; readonly branch: string },
): Promise<AttemptEnd> {
  const { ticket, fence, n } = scope;
  const plan = planToJudge(ctx.batch, ticketById(ctx.state(), ticket.id));
  if (plan === undefined) throw new Error(`${ticket.id} has no plan that waits for its verdict`);
  const files = await ctx.files.attempt(ticket.id, n);
  const open: OpenAttempt = { ...scope, files, retried: new Set(), announce: createAnnouncer(ctx, scope) };
  const baseSha = await repo.baseTip();
  ctx.report({ type: "worktree-ready", ticket: ticket.id, fence, ...tree, baseSha, continues: true });
  return judge(ctx, open, repo, { ...plan, baseSha });
}

/** Lets the reviewer read the plan against its ticket, with the base to look at. The plan is on record first, so that no engine asks for it twice. */
async function judge(
  ctx: LoopContext,
  open: OpenAttempt,
  repo: Repo,
  { text, digest, baseSha }: PlanToJudge,
): Promise<AttemptEnd> {
  const at = { ticket: open.ticket.id, fence: open.fence };
  tell(ctx, { type: "plan-written", ...at, digest, text });
  const blocking = ctx.batch.reviewer?.blocking ?? "high";
  const asked = await askReviewer(ctx, open, repo, {
    question: "plan",
    name: "plan",
    commit: baseSha,
    attributesOf: baseSha,
    minutes: Math.min(ASK_MINUTES, ctx.batch.limits.minutesPerAttempt),
    prompt: ({ ticket, nonce, checkout }) =>
      renderPlanQuestion(ctx.templates.plan, { ticket, plan: text, commit: baseSha, blocking, nonce, checkout }),
    read: (said, nonce) => {
      const reading = readAnswer(said, { nonce, tree: baseSha, schema: Review });
      if (!reading.ok) return reading;
      const { findings } = reading.value;
      return { ...reading, says: ruleOnReview(reading.value, blocking).summary, findings: countBySeverity(findings) };
    },
  });
  // The plan still waits for a verdict, and the next attempt asks for it.
  if (!asked.ok)
    return { outcome: "failed", evidence: { step: "plan", name: "plan", summary: `no verdict: ${asked.why}`, detail: "" } };
  const { ok, summary, detail } = ruleOnReview(asked.value, blocking);
  tell(ctx, { type: "plan-judged", ...at, ok, summary, digest, findings: !ok ? detail : undefined });
  return { outcome: ok ? "planned" : "failed" };
}

/** The end of an attempt whose change is kept out, because its ticket is to be planned first; undefined if it may go on. */
export function keptOut(
  { batch, state }: Pick<LoopContext, "batch" | "state">,
  { ticket }: Pick<OpenAttempt, "ticket">,
  { paths }: Pick<Change, "paths">,
): AttemptEnd | undefined {
  const now = ticketById(state(), ticket.id);
  if (paths.length === 0 || !lacksPlan(batch, now)) return undefined;
  const { class: is, why } = now.complexity ?? { class: "unknown", why: "" };
  const summary = `its change is kept out: the ticket is ${is} (${why}), and needs an approved plan first`;
  return { outcome: "failed", evidence: { step: "plan", name: "plan", summary, detail: "" }, unplanned: true };
}

/** Reports a fact. Ends the attempt if the fact is not admitted: it is late, or the run is over. */
function tell(ctx: LoopContext, fact: Parameters<LoopContext["report"]>[0]): void {
  if (!ctx.report(fact)) throw new AttemptOver({ outcome: "stopped" });
}
