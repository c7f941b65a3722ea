import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { boundedTail } from "../../domain/values/bounded-text.ts";
import type { Change, Repo } from "../../ports/vcs.ts";
import { type AttemptEnd, AttemptOver } from "../programs/scope.ts";
import { adjudicateBlocker } from "./blocker.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";
import { fileDiscoveries } from "./discoveries.ts";

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
 * attempt, if there is one, is told (see TicketState.refusals).
 */
export async function readClaims(
  ctx: LoopContext,
  open: OpenAttempt,
  repo: Repo,
  { baseSha, change }: { readonly baseSha: string; readonly change: Change },
): Promise<Claims> {
  const { discoveries, blocker, refused } = await ctx.outbox.read(open.files.outbox);
  const at = { ticket: open.ticket.id, fence: open.fence };
  for (const each of refused)
    if (!ctx.report({ type: "outbox-refused", ...at, ...each })) throw new AttemptOver({ outcome: "stopped" });
  await fileDiscoveries(ctx, open, discoveries);
  if (blocker === undefined) return {};
  const ruled = await adjudicateBlocker(ctx, open, repo, { claim: blocker, change, baseSha });
  return "humanStep" in ruled ? ruled : { end: { outcome: "failed", evidence: ruled.evidence } };
}

/** The evidence of refused claims for the next attempt. */
export function refusalEvidence(lines: readonly string[]): Evidence {
  const summary = `${lines.length === 1 ? "1 claim" : `${lines.length} claims`} of the last attempt's outbox could not be taken`;
  return { step: "outbox", name: "outbox", summary, detail: boundedTail(lines.join("\n"), REFUSALS_CHARS) };
}
