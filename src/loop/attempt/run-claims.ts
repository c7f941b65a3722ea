import { stopByLimit } from "../../domain/outbox/usage-limit.ts";
import { ticketOf } from "../../domain/run/state.ts";
import type { AgentResult, AgentTask } from "../../ports/agent.ts";
import { limitHint } from "../programs/last-words.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";

/**
 * The end of a `command` agent with what its outbox says of the run: that a usage limit stopped it, and what it cost. All of it is
 * claims: a wait is bounded, a cost only adds. A limit that cannot be read is one without a time, so that nothing lands (law 4).
 * The gateway sees both for vendors' programs, and nothing is read of theirs.
 */
export async function withRunClaims(ctx: LoopContext, open: OpenAttempt, result: AgentResult): Promise<AgentResult> {
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
export async function sessionToResume(ctx: LoopContext, { ticket }: OpenAttempt): Promise<Pick<AgentTask, "resumes">> {
  const { history, signs } = ticketOf(ctx.state(), ticket.id);
  const last = history.findLast(({ hadAgent }) => hadAgent);
  if (ctx.batch.agent.kind !== "command" || last === undefined || (signs?.turnedAway ?? 0) === 0) return {};
  const { session } = await ctx.outbox.readRun((await ctx.files.attempt(ticket.id, last.n)).outbox);
  return session === undefined ? {} : { resumes: session };
}
