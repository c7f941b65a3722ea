import { nextMove, type OwnPullRequest, type PullRequestMove } from "../../domain/forge/next-move.ts";
import type { PullRequestState } from "../../domain/forge/pull-request.ts";
import type { SeenPullRequest } from "../../domain/forge/pull-request-fact.ts";
import { freezeReason } from "../../domain/schedule/freeze.ts";
import { plainText } from "../../domain/values/text.ts";
import type { PullRequestMerge } from "../../ports/forge.ts";
import { pause } from "../concurrency/wait.ts";
import { AttemptOver, abortedEnd, type StepScope } from "../programs/scope.ts";
import {
  ask,
  mustAnnounce,
  type OpenPullRequest,
  type PullRequestContext,
  type PullRequestNeeds,
  pullRequestOf,
} from "./pull-request-scope.ts";

/** Times that the merge queue is asked to take the same commit. */
const QUEUE_TRIES = 2;

/** The end of a wait: the change has landed, or somebody else has to do something about the pull request. */
export type PullRequestDecision = Exclude<PullRequestMove, { do: "wait" | "merge" }>;

/** Reads the pull request again and again until there is something to do about it. */
export async function untilDecided(
  ctx: PullRequestContext,
  scope: StepScope,
  needs: PullRequestNeeds,
  open: OpenPullRequest,
): Promise<PullRequestDecision> {
  let queued = 0;
  for (;;) {
    if (scope.signal.aborted) throw new AttemptOver(abortedEnd(scope));
    const read = await ask(ctx, scope, () => needs.pulls.read(open.number));
    const own = ownOf(ctx, scope, open.head);
    const move = held(ctx, scope, needs, nextMove(read, { rules: needs.rules, own, now: ctx.clock.now() }));
    tell(ctx, scope, read, move.do === "wait" ? move.why : undefined);
    await answerThreads(ctx, scope, needs, read);
    if (move.do === "merge") {
      const merged = await merge(ctx, scope, needs, open);
      if (merged.as === "queued") queued += 1;
      const decision = afterMerge(merged, { queued, step: `merge pull request #${open.number} (${read.url})` });
      if (decision !== undefined) return decision;
    } else if (move.do !== "wait") return move;
    await pause(ctx.clock, needs.pulls.pauseMs(), scope.signal);
  }
}

/** Answers the threads that an agent was given, once another commit is pushed: each thread names that commit, once. */
async function answerThreads(
  ctx: PullRequestContext,
  scope: StepScope,
  { pulls }: PullRequestNeeds,
  read: PullRequestState,
): Promise<void> {
  const known = pullRequestOf(ctx, scope);
  if (known?.answeredAt === undefined || known.answeredAt === known.head || read.head !== known.head) return;
  const answered = new Set(known.answered);
  const threads = read.threads.filter(({ id }) => answered.has(id));
  if (threads.length === 0) return;
  await ask(ctx, scope, () => pulls.answer(read.number, threads, `An agent was given this. The answer is ${known.head}.`));
}

/** The decision that follows from the answer to a merge; undefined if the pull request must be read again. */
function afterMerge(
  merged: PullRequestMerge,
  { queued, step }: { readonly queued: number; readonly step: string },
): PullRequestDecision | undefined {
  if (merged.as === "merged") return { do: "landed", commit: merged.commit };
  if (merged.as === "refused") return { do: "gate", step: `${step}: ${merged.reason}` };
  return queued > QUEUE_TRIES ? { do: "gate", step: `${step}: the merge queue has let it go ${QUEUE_TRIES} times` } : undefined;
}

/** The move, unless the merge has to wait: nothing may land on the base now, or the ticket was rewritten. */
function held(
  ctx: PullRequestContext,
  scope: StepScope,
  { isOutdated }: PullRequestNeeds,
  move: PullRequestMove,
): PullRequestMove {
  if (move.do !== "merge") return move;
  if (isOutdated()) return { do: "rebuild", why: "the ticket was rewritten" };
  const why = freezeReason(ctx.state(), scope.ticket.id);
  return why === undefined ? move : { do: "wait", why };
}

async function merge(
  ctx: PullRequestContext,
  scope: StepScope,
  { pulls, message: messageOf }: PullRequestNeeds,
  { number, head }: OpenPullRequest,
): Promise<PullRequestMerge> {
  mustAnnounce(scope, { type: "pull-request-merging", number, head });
  const { title, message } = messageOf();
  return ask(ctx, scope, () => pulls.merge({ number, head, title, body: message }));
}

function ownOf(ctx: PullRequestContext, scope: StepScope, head: string): OwnPullRequest {
  const known = pullRequestOf(ctx, scope);
  return { head, pushedAt: known?.pushedAt ?? ctx.clock.now(), answered: new Set(known?.answered) };
}

/** Reports what a reading shows, if it is not what the last one showed. */
function tell(ctx: PullRequestContext, scope: StepScope, { checks }: PullRequestState, waits: string | undefined): void {
  const seen: SeenPullRequest = {
    checks: checks.map(({ name, state }) => ({ name: plainText(name, 100), state })),
    ...(waits !== undefined && { waits: plainText(waits, 300) }),
  };
  const before = pullRequestOf(ctx, scope)?.seen;
  if (JSON.stringify(before) !== JSON.stringify(seen)) scope.announce({ type: "pull-request-read", ...seen });
}
