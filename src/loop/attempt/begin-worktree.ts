import type { Ticket } from "../../domain/batch/schema.ts";
import { ticketById } from "../../domain/run/state.ts";
import type { Repo } from "../../ports/vcs.ts";
import { AttemptOver, abortedEnd } from "../programs/scope.ts";
import type { AttemptScope, LoopContext } from "./context.ts";
import { keepPeoplesCommits } from "./kept-work.ts";

/** The start of an attempt's worktree. */
export interface WorktreeStart {
  /** The tip of the base: the attempt's change is everything since. */
  readonly baseSha: string;
  /** The commit in the worktree, if it holds work that an earlier attempt left: one commit on top of `baseSha`. */
  readonly startsAt?: string;
}

/** Waits out a fault in what an attempt needs before its agent starts: no work is in it yet that could be the cause. */
export async function persistBegin<T>(
  { outages }: Pick<LoopContext, "outages">,
  scope: AttemptScope,
  what: "disk" | "worktree",
  call: () => Promise<T>,
): Promise<T> {
  const isOutage = (error: unknown): boolean => !(error instanceof AttemptOver);
  try {
    return await outages.persist(what, call, { signal: scope.signal, isOutage });
  } catch (error) {
    throw scope.signal.aborted ? new AttemptOver(abortedEnd(scope)) : error;
  }
}

/** Makes the worktree of an attempt, on the base's tip or on the work to which a remediation steps back. Waits out faults. */
export function beginWorktree(
  ctx: LoopContext,
  scope: AttemptScope,
  repo: Repo,
  tree: { readonly path: string; readonly branch: string },
): Promise<WorktreeStart> {
  return persistBegin(ctx, scope, "worktree", () => ctx.starts.run(() => makeWorktree(ctx, scope, repo, tree)));
}

async function makeWorktree(
  ctx: LoopContext,
  { ticket, signal }: AttemptScope,
  repo: Repo,
  tree: { readonly path: string; readonly branch: string },
): Promise<WorktreeStart> {
  const baseSha = await repo.baseTip();
  await keepPeoplesCommits(ctx, ticket.id, { repo });
  const startsAt = await steppedBack(ctx, ticket, repo, { baseSha, signal });
  await repo.addWorktree({ ...tree, from: startsAt ?? baseSha });
  return { baseSha, startsAt };
}

/** The checked work to which a remediation steps back, on the base's tip. Undefined if there is none, it is gone, or it no longer merges. */
async function steppedBack(
  { state }: LoopContext,
  { id, title }: Ticket,
  repo: Repo,
  { baseSha, signal }: { readonly baseSha: string; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const from = ticketById(state(), id).due?.from;
  if (from === undefined || !(await repo.has(from.tip))) return undefined;
  const message = `${title} (${id}), attempt ${from.attempt}`;
  const candidate = await repo.candidate({ tip: from.tip, onto: baseSha, message, signal });
  return candidate.ok ? candidate.commit : undefined;
}
