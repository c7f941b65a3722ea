import type { Evidence } from "../../domain/run/attempt-fact.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { boundedTail } from "../../domain/values/text.ts";
import type { Change, Repo } from "../../ports/vcs.ts";
import { type AttemptEnd, AttemptOver } from "../programs/scope.ts";
import { adjudicateBlocker } from "./blocker.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";
import { fileDiscoveries } from "./discoveries.ts";

/** The name of the evidence of an attempt that was asked for parts. */
export const SPLIT = "split";

/** Characters of refused claims that fit into the next prompt. */
const REFUSALS_CHARS = 2_000;

/** The state of an attempt after its agent's claims were read. */
export interface Claims {
  /** Set by an upheld blocker: the change so far lands, and then this step is left to a person. */
  readonly humanStep?: string;
  /** Present if the attempt is over: a rejected blocker. */
  readonly end?: AttemptEnd;
}

/**
 * Reads the outbox of an agent that has stopped by itself, and rules on its claims. It files discoveries, replays and rules on a
 * blocker, and reports unreadable entries. Never throws because of an agent's text. A refused claim fails no attempt: the next
 * attempt, if there is one, is told (see TicketState.refusals). `isSplit`: the agent was asked for parts of the ticket, which waits for
 * each of them; then the attempt is over, and like every one it counts.
 */
export async function readClaims(
  ctx: LoopContext,
  open: OpenAttempt,
  repo: Repo,
  { baseSha, change, isSplit }: { readonly baseSha: string; readonly change: Change; readonly isSplit: boolean },
): Promise<Claims> {
  const { discoveries, blocker, refused } = await ctx.outbox.read(open.files.outbox);
  const at = { ticket: open.ticket.id, fence: open.fence };
  for (const each of refused)
    if (!ctx.report({ type: "outbox-refused", ...at, ...each })) throw new AttemptOver({ outcome: "stopped" });
  const known = listFoundTickets(ctx, open).length;
  await fileDiscoveries(ctx, open, isSplit ? discoveries.map((each) => ({ ...each, blocks: true })) : discoveries);
  if (blocker === undefined) return isSplit ? { end: splitEnd(listFoundTickets(ctx, open).slice(known)) } : {};
  const ruled = await adjudicateBlocker(ctx, open, repo, { claim: blocker, change, baseSha });
  return "humanStep" in ruled ? ruled : { end: { outcome: "failed", evidence: ruled.evidence } };
}

/** The tickets that workers found at this one, oldest first. */
function listFoundTickets({ state }: Pick<LoopContext, "state">, { ticket }: OpenAttempt): readonly TicketId[] {
  return state().plan.tickets.flatMap(({ id, foundBy }) => (foundBy === ticket.id ? [id] : []));
}

function splitEnd(parts: readonly TicketId[]): AttemptEnd {
  const summary =
    parts.length === 0
      ? "it was asked for the parts of the ticket, and filed none"
      : `the ticket was split: it waits for ${parts.join(", ")}`;
  return { outcome: "failed", evidence: { step: "outbox", name: SPLIT, summary, detail: "" } };
}

/** The evidence of refused claims for the next attempt. */
export function refusalEvidence(lines: readonly string[]): Evidence {
  const summary = `${lines.length === 1 ? "1 claim" : `${lines.length} claims`} of the last attempt's outbox could not be taken`;
  return { step: "outbox", name: "outbox", summary, detail: boundedTail(lines.join("\n"), REFUSALS_CHARS) };
}
