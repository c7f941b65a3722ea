import { describeAlerts } from "../../domain/behaviour/alerts.ts";
import { remedyNotes } from "../../domain/behaviour/remedy-notes.ts";
import { boundForWorker } from "../../domain/bound/bound-text.ts";
import { describeElsewhere } from "../../domain/run/kept-work.ts";
import type { LiveState } from "../../domain/run/live-check.ts";
import { ticketById } from "../../domain/run/state.ts";
import type { PastAttempt, TicketState } from "../../domain/run/ticket-state.ts";
import { attemptsFor } from "../../domain/schedule/stop-conditions.ts";
import type { OfferedTools } from "../../ports/harness.ts";
import { toolsPath } from "../programs/confine.ts";
import { protectedFor } from "../steps/gates.ts";
import { refusalEvidence } from "./claims.ts";
import { type LoopContext, type OpenAttempt, waitingRepo } from "./context.ts";
import { isToPlan } from "./planning.ts";
import { renderWorkerPrompt } from "./prompt.ts";

/** The file with the last attempt's change, if there is one. */
export async function lastPatch(ctx: LoopContext, { ticket }: OpenAttempt): Promise<string | undefined> {
  const [last] = lastAttempts(ticketById(ctx.state(), ticket.id).history);
  if (last === undefined) return undefined;
  const { patch } = await ctx.files.attempt(ticket.id, last.n);
  return (await ctx.files.exists(patch)) ? patch : undefined;
}

interface Offered {
  readonly tools: OfferedTools | undefined;
  readonly patch: string | undefined;
  /** The commit in the worktree, if it holds work of an earlier attempt. */
  readonly startsAt: string | undefined;
}

/** What the agents of earlier attempts left outside their change. A commit can be read by its id; the branches are not shown to an agent. */
function leftElsewhere(past: readonly PastAttempt[]): readonly string[] {
  return past.flatMap(({ n, elsewhere }) => (elsewhere === undefined ? [] : [`Attempt ${n}: ${describeElsewhere(elsewhere)}.`]));
}

/** The prompt of an attempt: its ticket, and what came of the attempts before. */
export async function writeAttemptPrompt(
  ctx: LoopContext,
  open: OpenAttempt,
  { tools, patch, startsAt }: Offered,
): Promise<string> {
  const state = ticketById(ctx.state(), open.ticket.id);
  const { due, evidence, failures, history, live, plan, reflections = [], refusals, reverted } = state;
  const last = lastAttempts(history);
  const files = await Promise.all(last.map(({ n }) => ctx.files.attempt(open.ticket.id, n)));
  const outboxes = await Promise.all(files.map(({ outbox }) => ctx.outbox.read(outbox)));
  const refused = last.some(({ n }) => n === refusals?.n) ? refusals : undefined;
  const notes = outboxes.find((outbox) => outbox.notes !== undefined)?.notes;
  const { repo } = open.ticket;
  const isSteppedBack = startsAt !== undefined;
  const template = isToPlan(ctx, open) ? ctx.templates.planner : await ctx.harness.worker(repo);
  return renderWorkerPrompt(template, {
    ticket: open.ticket,
    // Only attempts that count: one that was interrupted, or refused by the model's API, does not.
    attempt: failures + 1,
    attempts: attemptsFor(ctx.batch, open.ticket, state),
    protect: protectedFor(ctx.batch.protect, open.ticket),
    bound: boundForWorker(ctx.batch.bounds?.[repo], ctx.batch.bound?.zones ?? "approve"),
    hints: await ctx.harness.hints(repo),
    alerts: [...remedyNotes(due, reflections.at(-1), { isSteppedBack }), ...describeAlerts(reflections), ...leftElsewhere(last)],
    startsFrom: isSteppedBack && due?.from ? due.from.attempt : undefined,
    plan: plan?.state === "approved" && plan.text !== undefined ? plan.text : undefined,
    tools: tools && { ...tools, folder: toolsPath(ctx, tools) },
    evidence: refused === undefined ? evidence : [...evidence, refusalEvidence(refused.lines)],
    landed: live && { ...live, paths: await landedPaths(ctx, open, live) },
    ...(live !== undefined || reverted === undefined
      ? {}
      : { reverted: { ...reverted, paths: await landedPaths(ctx, open, reverted) } }),
    patch,
    notes,
  });
}

/** The files of a landed change; empty if its commits are no longer there. */
async function landedPaths(
  ctx: LoopContext,
  { ticket, signal }: OpenAttempt,
  { from, sha }: Pick<LiveState, "from" | "sha">,
): Promise<readonly string[]> {
  const repo = waitingRepo(ctx, ticket, signal);
  if (!(await repo.has(from)) || !(await repo.has(sha))) return [];
  return (await repo.change({ from, tip: sha })).paths.map(({ path }) => path);
}

/** The last attempt at the work that ended by itself, and the interrupted ones before it, whose work it may have continued. Newest first. */
function lastAttempts(history: TicketState["history"]): TicketState["history"] {
  const came = ({ outcome, isPlanning }: PastAttempt): boolean =>
    outcome !== "stopped" && outcome !== "lost" && isPlanning !== true;
  const at = history.findLastIndex(came);
  const before = history.slice(0, Math.max(0, at)).findLastIndex(came);
  return history.slice(before + 1, at + 1).toReversed();
}
