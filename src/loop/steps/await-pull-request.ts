import { isWorkflow } from "../../domain/batch/default-protect.ts";
import { nextMove, type OwnPullRequest, type PullRequestMove, type PullRequestWait } from "../../domain/forge/next-move.ts";
import type { PullRequestState } from "../../domain/forge/pull-request.ts";
import { heldSince } from "../../domain/forge/pull-request-fact.ts";
import { summarizePullRequest } from "../../domain/forge/seen.ts";
import { freezeReason } from "../../domain/schedule/freeze.ts";
import { plainText } from "../../domain/values/text.ts";
import type { PullRequestMerge } from "../../ports/forge.ts";
import { pause } from "../concurrency/wait.ts";
import { AttemptOver, abortedEnd, type StepScope } from "../programs/scope.ts";
import { MergeRequests } from "./merge-requests.ts";
import {
  ask,
  knownPullRequest,
  mustAnnounce,
  type OpenPullRequest,
  type PullRequestContext,
  type PullRequestNeeds,
  reportReading,
} from "./pull-request-scope.ts";

/** A reading that took longer was held up by an outage. Milliseconds. */
const OUTAGE_MS = 60_000;

/** The end of a wait: the change has landed, or somebody else has to do something about the pull request. */
export type PullRequestDecision = Exclude<PullRequestMove, { do: "wait" | "merge" }>;

/** Reads the pull request again and again until there is something to do about it. */
export async function awaitPullRequest(
  ctx: PullRequestContext,
  scope: StepScope,
  needs: PullRequestNeeds,
  open: OpenPullRequest,
): Promise<PullRequestDecision> {
  const requests = new MergeRequests(needs.rules.appearMs);
  const waiting = new Waiting(ctx.clock);
  const hasWorkflows = (await needs.repo.files(open.head)).some(isWorkflow);
  for (;;) {
    if (scope.signal.aborted) throw new AttemptOver(abortedEnd(scope));
    const asked = ctx.clock.now();
    const read = await ask(ctx, scope, () => needs.pulls.read(open.number));
    waiting.sees(read, asked);
    const own = { ...ownRecord(ctx, scope, open.head, waiting), hasWorkflows };
    const now = ctx.clock.now();
    const next = requests.next(read, nextMove(read, { rules: needs.rules, own, now }), now);
    const move = next.do === "merge" ? await held(ctx, scope, needs, { open, read, waiting }) : next;
    reportReading(ctx, scope, summarizePullRequest(read, needs.rules, shownWait(move, open)));
    await answerThreads(ctx, scope, needs, read);
    if (move.do === "merge") {
      const merged = await merge(ctx, scope, needs, open);
      if (merged.as === "merged") return { do: "landed", commit: merged.commit };
      requests.answered(merged, ctx.clock.now());
      // The queue begins its own checks.
      if (merged.as === "queued") waiting.restart();
    } else if (move.do !== "wait") return move;
    await pause(ctx.clock, needs.pulls.pauseMs(waiting.ms), scope.signal);
  }
}

/** The wait that people are told: that of the move, or that of a re-run of what failed. */
function shownWait(move: PullRequestMove, { rerunWait }: OpenPullRequest): PullRequestWait | undefined {
  if (move.do === "wait") return move;
  return move.do === "fix" ? rerunWait : undefined;
}

/** Measures the wait for something at the forge. */
class Waiting {
  readonly #clock: PullRequestContext["clock"];
  #since: number;
  #isKnown = false;
  #askedSince: number;
  #lostSince: number | undefined;
  #idle: number;
  #resumedAt = 0;

  constructor(clock: PullRequestContext["clock"]) {
    this.#clock = clock;
    this.#since = clock.now();
    this.#askedSince = this.#since;
    this.#idle = this.#since - clock.ran();
  }

  /** Milliseconds. */
  get ms(): number {
    return this.#clock.now() - this.#since;
  }

  /** Since when the forge is asked without an outage. Milliseconds since the epoch. */
  get askedSince(): number {
    return this.#askedSince;
  }

  /** The first reading after a time in which the engine did not run: no bound counts that time. Milliseconds since the epoch; 0 if there was none. */
  get resumedAt(): number {
    return this.#resumedAt;
  }

  /** For how long a loss is still waited for; undefined if there is none. Milliseconds. */
  lossLeftMs(isLost: boolean, mostMs: number): number | undefined {
    this.#lostSince = isLost ? (this.#lostSince ?? this.#clock.ran()) : undefined;
    return this.#lostSince === undefined ? undefined : this.#lostSince + mostMs - this.#clock.ran();
  }

  restart(): void {
    this.#since = this.#clock.now();
  }

  /**
   * Notes a reading, and when it was asked for. The wait begins anew if the forge no longer knows whether a merge is possible: the base has
   * moved, and the forge works it out in a moment, once it is asked.
   */
  sees({ merge }: PullRequestState, asked: number): void {
    const now = this.#clock.now();
    const idle = now - this.#clock.ran();
    if (idle - this.#idle > OUTAGE_MS) this.#resumedAt = now;
    this.#idle = idle;
    if (now - asked > OUTAGE_MS) this.#askedSince = now;
    if (this.#isKnown && merge === "unknown") this.restart();
    this.#isKnown = merge !== "unknown";
  }
}

/** Answers the threads that an agent was given, once another commit is pushed: each thread names that commit, once. */
async function answerThreads(
  ctx: PullRequestContext,
  scope: StepScope,
  { pulls }: PullRequestNeeds,
  read: PullRequestState,
): Promise<void> {
  const known = knownPullRequest(ctx, scope);
  if (known?.answeredHead === undefined || known.answeredHead === known.head || read.head !== known.head) return;
  const answered = new Set(known.answered);
  const threads = read.threads.filter(({ id }) => answered.has(id));
  if (threads.length === 0) return;
  await ask(ctx, scope, () => pulls.answer(read.number, threads, `An agent was given this. The answer is ${known.head}.`));
}

/**
 * The merge, unless it has to wait: nothing may land on the base now, the ticket was rewritten, or the base there has lost the commit on which
 * the change was checked, which the merge would bring back.
 */
async function held(
  ctx: PullRequestContext,
  scope: StepScope,
  { repo, rules, isOutdated }: PullRequestNeeds,
  { open, read, waiting }: { readonly open: OpenPullRequest; readonly read: PullRequestState; readonly waiting: Waiting },
): Promise<PullRequestMove> {
  if (isOutdated()) return { do: "rebuild", why: "the ticket was rewritten" };
  const why = freezeReason(ctx.state(), scope.ticket.id);
  if (why !== undefined) return { do: "wait", why };
  const lost = (await repo.missingAtForge?.([open.base])) ?? [];
  const leftMs = waiting.lossLeftMs(lost.length > 0, rules.appearMs);
  if (leftMs === undefined) return { do: "merge" };
  const base = plainText(rules.base, 100);
  const what = `${base} there was moved back: it lacks ${open.base.slice(0, 12)}, on which the change was checked`;
  if (leftMs > 0) return { do: "wait", why: what, until: ctx.clock.now() + leftMs };
  const todo = `bring ${base} here and there together, then reopen the ticket`;
  return { do: "gate", step: `pull request #${read.number}: ${what}: ${todo} (${read.url})` };
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

/** The engine's own record. Its bounds begin anew after a time in which no engine ran. */
function ownRecord(
  ctx: PullRequestContext,
  scope: StepScope,
  head: string,
  { askedSince, resumedAt }: Pick<Waiting, "askedSince" | "resumedAt">,
): OwnPullRequest {
  const known = knownPullRequest(ctx, scope);
  const peopleHead = known?.peopleHead === undefined ? {} : { peopleHead: known.peopleHead };
  const [arrivedAt = ctx.clock.now(), readAt, blockedAt] = [known?.arrivedAt, known?.readAt, heldSince(known, "merge")];
  const later = (at: number): number => Math.max(at, resumedAt);
  const times = {
    ...{ pushedAt: later(arrivedAt), askedSince: later(askedSince) },
    ...{ stillSince: readAt && later(readAt), blockedSince: blockedAt && later(blockedAt) },
  };
  return { head, answered: new Set(known?.answered), ...times, ...peopleHead };
}
