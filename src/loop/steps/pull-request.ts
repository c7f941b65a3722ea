import {
  nextMove,
  type OwnPullRequest,
  type PullRequestMove,
  type PullRequestRules,
  type Said,
} from "../../domain/forge/next-move.ts";
import type { PullRequestState } from "../../domain/forge/pull-request.ts";
import type { SeenPullRequest, TicketPullRequest } from "../../domain/forge/pull-request-fact.ts";
import { ticketOf } from "../../domain/run/state.ts";
import { freezeReason } from "../../domain/schedule/freeze.ts";
import { rerunsOf } from "../../domain/triage/infrastructure.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { ForgeUnavailable, type PullRequestMerge, type PullRequests } from "../../ports/forge.ts";
import type { Candidate, Repo } from "../../ports/vcs.ts";
import type { MergeQueue } from "../concurrency/merge-queue.ts";
import { pause } from "../concurrency/wait.ts";
import { AttemptOver, abortedEnd, type StepScope } from "../programs/scope.ts";
import { keepTriage } from "./keep-triage.ts";
import { fixEvidence, triageOfChecks } from "./pull-request-evidence.ts";
import type { StepContext, StepFailed, StepPassed } from "./step.ts";

/** Times that a moving base is followed before the attempt fails. */
const CHASES = 5;
/** Times that the merge queue is asked to take the same commit. */
const QUEUE_TRIES = 2;

type Built = Extract<Candidate, { ok: true }>;

/** The pull requests of a repository, and the batch's rules for them. */
export interface PullRequestLane {
  readonly pulls: PullRequests;
  readonly rules: PullRequestRules;
}

/** The step's view of the finish line. */
export interface PullRequestNeeds extends PullRequestLane {
  readonly repo: Repo;
  /** The branch of the ticket at the forge. */
  readonly branch: string;
  /** The candidate that was checked last. */
  readonly checked: Built;
  /** Title and body of the pull request, and of the commit that lands. */
  text(): { readonly title: string; readonly body: string; readonly message: string };
  /** True if a person has rewritten the ticket since the reviewer passed the candidate. */
  isOutdated(): boolean;
  /** Builds a candidate on the base tip and runs the steps before `merge` on it. Throws AttemptOver if one fails. */
  checkAgain(): Promise<Built>;
}

type Context = Pick<StepContext, "clock" | "state" | "outages" | "files"> & { readonly merges: MergeQueue; readonly run: RunId };
type Landed = StepPassed & { readonly commit: string };
type Decision = Exclude<PullRequestMove, { do: "wait" | "merge" }>;

/**
 * Lands the checked candidate through a pull request: pushes it, waits until the forge's rules and checks allow the merge of exactly
 * that commit, and merges it. Nobody's queue is held meanwhile. What fails at the forge is evidence for the next attempt; what only a
 * person can do ends the attempt at a human gate.
 */
export async function landByPullRequest(ctx: Context, scope: StepScope, needs: PullRequestNeeds): Promise<Landed | StepFailed> {
  let { checked } = needs;
  for (let chase = 0; chase < CHASES; chase += 1) {
    const isStale = needs.isOutdated() || checked.base !== (await needs.repo.baseTip());
    if (isStale) checked = await needs.checkAgain();
    const open = await present(ctx, scope, needs, checked);
    const decision = await decisionOf(ctx, scope, needs, open);
    switch (decision.do) {
      case "landed":
        return bringHome(ctx, scope, needs, { commit: decision.commit, number: open.number });
      case "failed":
        return { ok: false, evidence: decision.evidence };
      case "gate":
        throw gate(scope, open.number, decision.step);
      case "rebuild":
    }
  }
  const summary = `the base moved ${CHASES} times while its pull request waited`;
  return { ok: false, evidence: { step: "merge", name: "merge", summary, detail: "" } };
}

/**
 * The landing of a pull request that was merged while no engine looked: the one before this died after it had asked for the merge.
 * Undefined if it was not, or if somebody else has changed it.
 */
export async function findMerged(
  ctx: Context,
  scope: StepScope,
  needs: Omit<PullRequestNeeds, "checked" | "checkAgain">,
): Promise<Landed | undefined> {
  const known = pullRequestOf(ctx, scope);
  if (known?.number === undefined || known.branch !== needs.branch) return undefined;
  const { number, head } = known;
  const read = await ask(ctx, scope, () => needs.pulls.read(number));
  if (read.state !== "merged" || read.head !== head || read.mergeCommit === undefined) return undefined;
  return bringHome(ctx, scope, needs, { commit: read.mergeCommit, number });
}

/** A pull request that is open, as the engine left it. */
interface OpenPullRequest {
  readonly number: number;
  readonly head: string;
}

/** Pushes the candidate to the ticket's branch, after what was pushed there before, and opens or updates its pull request. */
async function present(ctx: Context, scope: StepScope, needs: PullRequestNeeds, checked: Built): Promise<OpenPullRequest> {
  const { repo, pulls, branch } = needs;
  const known = pullRequestOf(ctx, scope);
  const previous = known?.branch === branch ? known.head : undefined;
  const head = await headFor(repo, checked, previous);
  const pushed = { branch, head, ...(previous !== undefined && previous !== head && { previous }) };
  mustAnnounce(scope, { type: "pull-request-intended", repo: repo.id, ...pushed });
  const { title, body } = needs.text();
  const proposed = await ask(ctx, scope, () => pulls.propose({ ...pushed, title, body }));
  if (proposed.as === "open") {
    const { number, url } = proposed;
    if (known?.number !== number) mustAnnounce(scope, { type: "pull-request-opened", number, url });
    return { number, head };
  }
  const number = known?.number ?? 0;
  if (proposed.as === "refused") throw gate(scope, number, `let loopdash push ${branch} to ${pulls.name}: ${proposed.reason}`);
  const found = proposed.tip === undefined ? "was removed" : `is at ${plainText(proposed.tip.slice(0, 12), 12)}`;
  throw gate(
    scope,
    number,
    `the branch ${branch} of ${pulls.name} ${found}, where loopdash did not leave it: remove it, and reopen the ticket`,
  );
}

/**
 * The commit to push: the candidate, or one with its files that continues what was pushed before. What was pushed before stays if it has
 * the same files on the same base: a new engine builds the same change with another date.
 */
async function headFor(repo: Repo, { commit, base }: Built, previous: string | undefined): Promise<string> {
  if (previous === undefined || previous === commit || !(await repo.has(previous))) return commit;
  const { paths } = await repo.change({ from: previous, tip: commit });
  const isOnBase = (await repo.commitsSince({ from: base, to: previous, most: 1 })) !== undefined;
  return paths.length === 0 && isOnBase ? previous : repo.continueFrom({ previous, candidate: commit });
}

/** Reads the pull request again and again until there is something to do about it. */
async function untilDecided(ctx: Context, scope: StepScope, needs: PullRequestNeeds, open: OpenPullRequest): Promise<Decision> {
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

/** Tells in the threads that an agent was given that another commit answers them. A thread that has been told is not told again. */
async function answerThreads(ctx: Context, scope: StepScope, { pulls }: PullRequestNeeds, read: PullRequestState): Promise<void> {
  const known = pullRequestOf(ctx, scope);
  if (known?.answeredAt === undefined || known.answeredAt === known.head || read.head !== known.head) return;
  const answered = new Set(known.answered);
  const threads = read.threads.filter(({ id }) => answered.has(id));
  if (threads.length === 0) return;
  await ask(ctx, scope, () => pulls.answer(read.number, threads, `An agent was given this. The answer is ${known.head}.`));
}

/** What the answer to a merge decides; undefined if the pull request is to be read again. */
function afterMerge(
  merged: PullRequestMerge,
  { queued, step }: { readonly queued: number; readonly step: string },
): Decision | undefined {
  if (merged.as === "merged") return { do: "landed", commit: merged.commit };
  if (merged.as === "refused") return { do: "gate", step: `${step}: ${merged.reason}` };
  return queued > QUEUE_TRIES ? { do: "gate", step: `${step}: the merge queue has let it go ${QUEUE_TRIES} times` } : undefined;
}

/** The move, unless the merge has to wait: nothing may land on the base now, or the ticket was rewritten. */
function held(ctx: Context, scope: StepScope, { isOutdated }: PullRequestNeeds, move: PullRequestMove): PullRequestMove {
  if (move.do !== "merge") return move;
  if (isOutdated()) return { do: "rebuild", why: "the ticket was rewritten" };
  const why = freezeReason(ctx.state(), scope.ticket.id);
  return why === undefined ? move : { do: "wait", why };
}

async function merge(
  ctx: Context,
  scope: StepScope,
  { pulls, text }: PullRequestNeeds,
  { number, head }: OpenPullRequest,
): Promise<PullRequestMerge> {
  mustAnnounce(scope, { type: "pull-request-merging", number, head });
  const { title, message } = text();
  return ask(ctx, scope, () => pulls.merge({ number, head, title, body: message }));
}

/** Brings the base of this machine to what the forge has merged, and records the landing. */
async function bringHome(
  ctx: Context,
  scope: StepScope,
  { repo, pulls, branch }: Pick<PullRequestNeeds, "repo" | "pulls" | "branch">,
  { commit, number }: { readonly commit: string; readonly number: number },
): Promise<Landed> {
  const facts = await ctx.merges.run(
    repo.id,
    async () => {
      for (;;) {
        const landing = await repo.land({ from: await repo.baseTip(), to: commit });
        if (landing.as === "landed") break;
        const reason = landing.as === "waiting" ? landing.reason : "the base here moves while it is brought up to date";
        scope.announce({ type: "merge-waiting", reason: plainText(reason, 300) });
        await pause(ctx.clock, pulls.pauseMs(), scope.signal);
      }
      const from = (await repo.parent(commit)) ?? commit;
      mustAnnounce(scope, { type: "merge-intended", repo: repo.id, from, to: commit });
      return [{ type: "merge-landed" as const, repo: repo.id, from, to: commit }];
    },
    scope.signal,
  );
  const head = pullRequestOf(ctx, scope)?.head;
  if (head !== undefined) await ask(ctx, scope, () => pulls.removeBranch(branch, head));
  return { ok: true, summary: `pull request #${number} landed on ${repo.base} as ${commit.slice(0, 7)}`, commit, facts };
}

/**
 * What becomes of a pull request. Checks that failed by something outside the change (a registry, a lost machine) are started again once;
 * whatever else failed, or was said, is evidence for an agent.
 */
async function decisionOf(
  ctx: Context,
  scope: StepScope,
  needs: PullRequestNeeds,
  open: OpenPullRequest,
): Promise<Exclude<Decision, { do: "fix" }> | { readonly do: "failed"; readonly evidence: StepFailed["evidence"] }> {
  for (;;) {
    const decision = await untilDecided(ctx, scope, needs, open);
    if (decision.do !== "fix") return decision;
    const names = decision.checks.map(({ name }) => name);
    const failures = names.length === 0 ? [] : await ask(ctx, scope, () => needs.pulls.failures(open.head, names));
    const triage = triageOfChecks(failures, {
      run: ctx.run,
      ticket: scope.ticket.id,
      attempt: ticketOf(ctx.state(), scope.ticket.id).attempt?.n ?? 0,
      headSha: open.head,
    });
    const again = rerunsOf(triage.json.findings, new Set(pullRequestOf(ctx, scope)?.rerun));
    if (decision.words.length > 0 || again.length === 0 || again.length < names.length) {
      await keepTriage(ctx.files, scope, triage);
      recordWords(scope, decision.words);
      return { do: "failed", evidence: fixEvidence(decision, triage) };
    }
    mustAnnounce(scope, { type: "pull-request-rerun", names: again });
    await ask(ctx, scope, () => needs.pulls.rerun(open.head, again));
    await pause(ctx.clock, needs.pulls.pauseMs(), scope.signal);
  }
}

/** Records the words that an agent gets: it gets them once. */
function recordWords(scope: StepScope, words: readonly Said[]): void {
  if (words.length === 0) return;
  const people = words.filter((said) => said.kind === "words" || !said.isBot).length;
  mustAnnounce(scope, { type: "pull-request-words", ids: words.map(({ id }) => id), people });
}

function ownOf(ctx: Context, scope: StepScope, head: string): OwnPullRequest {
  const known = pullRequestOf(ctx, scope);
  return { head, pushedAt: known?.pushedAt ?? ctx.clock.now(), answered: new Set(known?.answered) };
}

/** Reports what a reading shows, if it is not what the last one showed. */
function tell(ctx: Context, scope: StepScope, { checks }: PullRequestState, waits: string | undefined): void {
  const seen: SeenPullRequest = {
    checks: checks.map(({ name, state }) => ({ name: plainText(name, 100), state })),
    ...(waits !== undefined && { waits: plainText(waits, 300) }),
  };
  const before = pullRequestOf(ctx, scope)?.seen;
  if (JSON.stringify(before) !== JSON.stringify(seen)) scope.announce({ type: "pull-request-read", ...seen });
}

function pullRequestOf({ state }: Context, { ticket }: StepScope): TicketPullRequest | undefined {
  return ticketOf(state(), ticket.id).pullRequest;
}

/** Asks the forge, and waits out its outages and its rate limits. */
export function ask<T>(
  { outages }: Pick<Context, "outages">,
  { signal }: Pick<StepScope, "signal">,
  call: () => Promise<T>,
): Promise<T> {
  return outages.persist("forge", call, { signal, isOutage: (error) => error instanceof ForgeUnavailable });
}

/** The end of an attempt whose next step is a person's. */
function gate(scope: StepScope, number: number, step: string): AttemptOver {
  mustAnnounce(scope, { type: "pull-request-gated", number, step: plainText(step, 600) });
  return new AttemptOver({ outcome: "gated" });
}

export function mustAnnounce(scope: StepScope, fact: Parameters<StepScope["announce"]>[0]): void {
  if (!scope.announce(fact)) throw new AttemptOver({ outcome: "stopped" });
}
