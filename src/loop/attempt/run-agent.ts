import { nudgeLine } from "../../domain/behaviour/nudge.ts";
import { stopByLimit } from "../../domain/outbox/usage-limit.ts";
import type { AgentEvent } from "../../domain/run/agent-event.ts";
import type { AgentEnding } from "../../domain/run/attempt-fact.ts";
import { failedGateText } from "../../domain/run/remedy-fact.ts";
import { ticketById, ticketIndex } from "../../domain/run/state.ts";
import { countsAsFailure } from "../../domain/schedule/breaker.ts";
import { remediationAt } from "../../domain/schedule/remediation.ts";
import { agentLimitMs } from "../../domain/schedule/stop-conditions.ts";
import type { Fence, TicketId } from "../../domain/values/ids.ts";
import type { AgentResult, AgentTask } from "../../ports/agent.ts";
import type { Confinement } from "../../ports/executor.ts";
import { limitHint } from "../programs/last-words.ts";
import { reserveMoney } from "../programs/reserve-money.ts";
import { sanitizeStopReason, thinActivity, thinSpend, withSecrets } from "../programs/run-in.ts";
import { type AttemptEnd, AttemptOver, fetchKey, takeAccount } from "../programs/scope.ts";
import { untilStarted } from "../programs/until-started.ts";
import type { AgentRun } from "./agent-end.ts";
import { auditCommands } from "./audit.ts";
import type { WorktreeStart } from "./begin-worktree.ts";
import { type GateWatch, watchBehaviour } from "./behaviour.ts";
import type { AttemptScope, LoopContext, OpenAttempt } from "./context.ts";
import { type AttemptGuard, watchGuard } from "./guard.ts";
import { isToPlan } from "./planning.ts";

/** Runs the agent of an attempt in its worktree, and reports its end. Throws AttemptOver if it may not start. */
export async function runAgent(
  ctx: LoopContext,
  open: OpenAttempt,
  tree: WorktreeStart & { readonly path: string; readonly branch: string },
  confinement: Confinement | undefined,
): Promise<AgentRun> {
  const { ticket, fence, n, marker, signal, files } = open;
  const ref = { ticket: ticket.id, fence };
  const { limits } = ctx.batch;
  ctx.report({ type: "worktree-ready", ...ref, ...tree });
  await withSecrets(ctx, open, () => fetchKey(ctx, "agent", { signal, ticket: ticket.id }));
  const reserved = await reserveMoney(ctx.dayBudget, ctx.report, { fence, usd: ctx.agent.reserveUsd });
  if (!reserved.ok) throw new AttemptOver({ outcome: "stopped" });
  if (!ctx.report({ type: "agent-launching", ...ref })) throw new AttemptOver({ outcome: "stopped" });
  const path = ctx.toolchainPaths.get(ticket.repo);
  const by = takeAccount(ctx, "agent", ticket.id);
  const live = reportLive(ctx, ref);
  const onReport = (watch: GateWatch) => remedyAtWork(ctx, open, { guard: guard.watch, watch });
  const behaviour = watchBehaviour(ctx, open, { worktree: tree.path, onReport });
  const audit = auditCommands(ctx, open);
  const useless = new AbortController();
  const onFault = () => useless.abort();
  const guardOptions = { baseSha: tree.baseSha, onBlocked: behaviour.blocked, onFault, isPlanning: isToPlan(ctx, open) };
  const removeReport = () => ctx.files.remove(files.guardReport);
  const guard = new GuardedStart(() => watchGuard(ctx, open, guardOptions), removeReport);
  const task: AgentTask = {
    ...{ ticket: ticket.id, attempt: n, marker, worktree: tree.path },
    ...{ promptFile: files.prompt, outbox: files.outbox, session: files.session, logFile: files.agentLog },
    timeoutMs: agentLimitMs(ctx.batch, ticket, ticketById(ctx.state(), ticket.id)),
    silenceMs: limits.silenceMinutes * 60_000,
    ...{ signal: AbortSignal.any([signal, useless.signal]), ...by },
    ...(await sessionToResume(ctx, open)),
    path,
    confinement,
    onStart: (process) => ctx.report({ type: "agent-started", ...ref, ...process }),
    ...live.callbacks,
    onEvent: toAll(behaviour, audit, { event: (event) => guard.watch.event(event) }),
    onBlocked: (blocked) => ctx.report({ type: "connection-blocked", ...ref, step: "agent", ...blocked }),
  };
  const run = () => guard.start((installed) => ctx.agent.run({ ...task, ...installed }));
  const running = untilStarted(ctx, { who: "the agent", signal, run });
  const result = await withRunClaims(ctx, open, await running.finally(() => guard.watch.end()));
  live.end();
  behaviour.end();
  const costUsd = result.costUsd ?? ctx.agent.reserveUsd;
  ctx.dayBudget.settle(fence, costUsd);
  const fault = signal.aborted ? undefined : guard.watch.fault();
  const isCut = result.ending === "aborted" || result.ending === "blocked";
  const ending: AgentEnding = fault !== undefined ? "stopped" : isCut ? open.ending() : result.ending;
  ctx.report({
    type: "agent-ended",
    ...ref,
    ...{ ending, exitCode: result.exitCode, signal: result.signal, costUsd },
    stop: result.stop && sanitizeStopReason(result.stop),
    ...by,
  });
  await audit.end();
  return fault === undefined ? result : { fault };
}

/** Reports, now and then, what an agent prints and has spent. */
function reportLive({ clock, report }: LoopContext, ref: { readonly ticket: TicketId; readonly fence: Fence }) {
  const activity = thinActivity(clock, (text, lines) => report({ type: "activity", ...ref, text, lines }));
  const spend = thinSpend(clock, (usd) => report({ type: "agent-spent", ...ref, usd }));
  const end = (): void => {
    activity.end();
    spend.end();
  };
  return { callbacks: { onActivity: activity.line, onSpend: spend.total }, end };
}

/** The watch over the guard of an agent. The guard is installed anew with each try to start the agent. */
class GuardedStart {
  readonly #make: () => ReturnType<typeof watchGuard>;
  readonly #removeReport: () => Promise<void>;
  watch: ReturnType<typeof watchGuard>;

  constructor(make: () => ReturnType<typeof watchGuard>, removeReport: () => Promise<void>) {
    this.#make = make;
    this.#removeReport = removeReport;
    this.watch = make();
  }

  async start(run: (installed: Pick<AgentTask, "guard">) => Promise<AgentResult>): Promise<AgentResult> {
    const { task } = this.watch;
    const ended = await run(task === undefined ? {} : { guard: task });
    if (ended.ending !== "failed-to-start") return ended;
    await this.watch.end();
    // Else the next watch would see it replaced.
    await this.#removeReport();
    this.watch = this.#make();
    return ended;
  }
}

function toAll(...readers: readonly { event(event: AgentEvent): void }[]): (event: AgentEvent) => void {
  return (event) => {
    for (const reader of readers) reader.event(event);
  };
}

/**
 * The end of a `command` agent with what its outbox says of the run: that a usage limit stopped it, and what it cost. All of it is
 * claims: a wait is bounded, a cost only adds. A limit that cannot be read is one without a time, so that nothing lands (law 4).
 * The gateway sees both for vendors' programs, and nothing is read of theirs.
 */
async function withRunClaims(ctx: LoopContext, open: OpenAttempt, result: AgentResult): Promise<AgentResult> {
  if (ctx.batch.agent.kind !== "command" || result.ending === "failed-to-start") return result;
  const { limit, usd = 0, refused } = await ctx.outbox.readRun(open.files.outbox);
  const said = limit && stopByLimit(limit, ctx.clock.now());
  const hint = limit === undefined && result.exitCode === 0 ? limitHint(result.tail) : undefined;
  const told = [...refused, ...[said?.refused, hint].flatMap((why) => (why === undefined ? [] : [{ file: "limit.json", why }]))];
  for (const each of told) ctx.report({ type: "outbox-refused", ticket: open.ticket.id, fence: open.fence, ...each });
  // What nobody knows stays the reserved maximum.
  const costUsd = result.costUsd === null ? null : Math.max(result.costUsd, usd);
  return { ...result, costUsd, ...(said && { stop: said.stop }) };
}

/** The session that the last agent of the ticket named, if a limit or an outage has interrupted it. */
async function sessionToResume(ctx: LoopContext, { ticket }: OpenAttempt): Promise<Pick<AgentTask, "resumes">> {
  const { history, signs } = ticketById(ctx.state(), ticket.id);
  const last = history.findLast(({ hadAgent }) => hadAgent);
  if (ctx.batch.agent.kind !== "command" || last === undefined || (signs?.turnedAway ?? 0) === 0) return {};
  const { session } = await ctx.outbox.readRun((await ctx.files.attempt(ticket.id, last.n)).outbox);
  return session === undefined ? {} : { resumes: session };
}

/** What is told to an agent at work: by its guard, and what its events show. */
interface Told {
  readonly guard: Pick<AttemptGuard, "nudge">;
  readonly watch: GateWatch;
}

/**
 * Acts on a gate that has failed while the agent works, as the batch's policy says. The fact ends the agent, or is followed by a line for it: an
 * engine that is lost in between has lost its agent, too.
 */
function remedyAtWork(
  { report, state }: Pick<LoopContext, "report" | "state">,
  { ticket }: Pick<AttemptScope, "ticket">,
  { guard, watch }: Told,
): void {
  const fact = remediationAt(state(), ticketIndex(state(), ticket.id), "at-work", watch.failedAgain);
  if (fact === undefined || !report(fact) || fact.action !== "nudge") return;
  guard.nudge(nudgeLine(fact.gate, watch.count(fact.gate)));
  watch.countAnew(fact.gate);
}

/** Acts on a failed gate of an attempt that has failed for another reason. Called right before the attempt ends. */
export function remedyAfterFailure(
  { report, state }: Pick<LoopContext, "report" | "state">,
  { ticket: { id } }: Pick<AttemptScope, "ticket">,
  { outcome, readOnly, unplanned }: Pick<AttemptEnd, "outcome" | "readOnly" | "unplanned">,
): void {
  const ticket = ticketById(state(), id);
  const isFailure = outcome === "failed" || outcome === "silent" || outcome === "out-of-time";
  // The signals are about the work, and not about a plan.
  if (!isFailure || readOnly || unplanned || ticket.attempt === undefined || ticket.attempt.isPlanning) return;
  if (!countsAsFailure(ticket, ticket.attempt, outcome)) return;
  const fact = remediationAt(state(), ticketIndex(state(), id), "failed");
  if (fact !== undefined) report(fact);
}

/** The end of an attempt, with what the gate found if a remediation ended its agent. */
export function withRemedy(
  { state }: Pick<LoopContext, "state">,
  { ending, signal, ticket }: Pick<AttemptScope, "ending" | "signal" | "ticket">,
  end: AttemptEnd,
): AttemptEnd {
  const remedy = ticketById(state(), ticket.id).remedies?.at(-1);
  if (!signal.aborted || ending() !== "remedied" || remedy === undefined || end.outcome !== "failed") return end;
  const summary = `${failedGateText(remedy.gate, remedy.was)}; its agent was ended`;
  return { ...end, evidence: { step: "agent", name: "behaviour", summary, detail: "" } };
}
