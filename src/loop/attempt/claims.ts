import type { Evidence } from "../../domain/run/event.ts";
import { boundedTail } from "../../domain/values/bounded-text.ts";
import type { Change, Repo } from "../../ports/vcs.ts";
import { type AttemptEnd, AttemptOver } from "../programs/scope.ts";
import { tryBlocker } from "./blocker.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";
import { fileDiscoveries } from "./discoveries.ts";

/** Characters of what was refused that the next prompt has room for. */
const REFUSALS_CHARS = 2_000;

/** What becomes of an attempt after its agent's claims were read. */
export interface Claims {
  /** An upheld blocker's: what was built lands, and then this is left to a person. */
  readonly humanStep?: string;
  /** Present where the attempt is over: a rejected blocker. */
  readonly end?: AttemptEnd;
}

/**
 * Reads the outbox of an agent that has stopped by itself, and rules on what is claimed in it: discoveries are filed, a blocker is
 * tried and ruled on, and what cannot be read is told. Never throws for what an agent has written. What was refused fails no
 * attempt: where another follows, it is told (see TicketState.refusals).
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
  const ruled = await tryBlocker(ctx, open, repo, { claim: blocker, change, baseSha });
  return "humanStep" in ruled ? ruled : { end: { outcome: "failed", evidence: ruled.evidence } };
}

/** What the next attempt is told of claims that were refused. */
export function refusalEvidence(lines: readonly string[]): Evidence {
  const summary = `${lines.length === 1 ? "1 claim" : `${lines.length} claims`} of the last attempt's outbox could not be taken`;
  return { step: "outbox", name: "outbox", summary, detail: boundedTail(lines.join("\n"), REFUSALS_CHARS) };
}
