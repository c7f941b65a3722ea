import type { Triage } from "@loopdash/triage";
import { jobsToRerun } from "@loopdash/triage";
import { isWorkflow } from "../../domain/batch/default-protect.ts";
import { nextBranchMove } from "../../domain/ci/branch-move.ts";
import { CHECK_CHARS, type CiFailure, failedBefore } from "../../domain/ci/ci-fact.ts";
import { fixableKinds } from "../../domain/ci/fixable.ts";
import type { RemoteCheck } from "../../domain/forge/pull-request.ts";
import { planRerun, startedAgain } from "../../domain/forge/rerun.ts";
import { seenOfBranch } from "../../domain/forge/seen.ts";
import type { Evidence, EvidenceCause } from "../../domain/run/attempt-fact.ts";
import { ticketById } from "../../domain/run/state.ts";
import { freezeReason } from "../../domain/schedule/freeze.ts";
import { firstFewLine, plainText } from "../../domain/values/text.ts";
import type { BranchChecks } from "../../ports/branch-checks.ts";
import type { Change, Landing, Repo } from "../../ports/vcs.ts";
import { pause } from "../concurrency/wait.ts";
import { AttemptOver, abortedEnd, type StepScope } from "../programs/scope.ts";
import { keepTriage } from "./keep-triage.ts";
import { fixEvidence, jobRecords, triageWithHistory } from "./pull-request-evidence.ts";
import { ask, knownPullRequest, mustAnnounce, type PullRequestContext, reportReading } from "./pull-request-scope.ts";
import { type HeldRerun, heldBefore, isHeldTooLong, rerun } from "./rerun.ts";
import { type Built, CHASES, type Landed, type StepContext, type StepFailed } from "./step.ts";
import { weakenedBy } from "./weakened.ts";

/** Wait before a checkout that cannot be updated is looked at again. Milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/** The checks of the branch that a repository's changes land on, and the batch's rules for them. */
export interface BranchTarget {
  readonly checks: BranchChecks;
  /** Milliseconds after a push within which a check must appear. */
  readonly appearMs: number;
  readonly workflow?: string | undefined;
  /** The branch's pull request, for people. */
  readonly pullRequest?: { readonly number: number; readonly url: string } | undefined;
  /** False if nothing may be changed. */
  readonly canChange: boolean;
}

/** The step's view of the finish line. */
export interface BranchNeeds extends BranchTarget {
  readonly repo: Repo;
  readonly change: Change;
  /** True if the attempt changes nothing, and only reads the checks of the branch as it is. */
  readonly isReadOnly: boolean;
  /** Builds a candidate on the tip of the branch and runs the steps before `merge` on it. Throws AttemptOver if one fails. */
  check(): Promise<Built>;
}

type Context = PullRequestContext & Pick<StepContext, "scans">;
type Result = Landed | StepFailed;

/**
 * Pushes the checked candidate on top of the branch, by compare-and-swap and never by force, and waits for the checks of exactly that
 * commit: green is landed, red is evidence for the next attempt, which begins from there. A look pushes nothing.
 */
export async function landOnBranch(ctx: Context, scope: StepScope, needs: BranchNeeds): Promise<Result> {
  const { repo } = needs;
  for (let chase = 0; chase < CHASES; chase += 1) {
    const head = await pushHead(ctx, scope, needs);
    if (typeof head === "object") return head;
    const result = await awaitChecks(ctx, scope, needs, head);
    if (result !== "rebuild") return result;
    await pause(ctx.clock, needs.checks.pauseMs(Number.POSITIVE_INFINITY), scope.signal);
  }
  return failed(`${plainText(repo.base, 100)} moved ${CHASES} times while its checks ran`);
}

/** The commit whose checks decide: the tip as it is if the change is in it already, or what is pushed now. */
async function pushHead(ctx: Context, scope: StepScope, needs: BranchNeeds): Promise<string | StepFailed> {
  const { repo, isReadOnly, canChange } = needs;
  const tip = await repo.baseTip();
  if (!isReadOnly && !canChange) return failed("nothing is to be changed", "report-only");
  if (!isReadOnly && !(await isPushed(ctx, scope, repo))) return push(ctx, scope, needs);
  if (!isReadOnly) recordPush(ctx, scope, needs);
  intend(scope, needs, tip);
  return tip;
}

/** Records a push that an engine which is gone has made and could not record. */
function recordPush({ state }: Context, scope: StepScope, { repo, change }: BranchNeeds): void {
  const { ci, pullRequest: { head: to, onto: from } = {} } = ticketById(state(), scope.ticket.id);
  if (to === undefined || from === undefined || ci?.iterations.some(({ commit }) => commit === to) === true) return;
  mustAnnounce(scope, { type: "ci-pushed", repo: repo.id, from, to, files: change.paths.length });
}

function intend(scope: StepScope, { repo, pullRequest }: BranchNeeds, head: string, previous?: string): void {
  const from = previous === undefined ? {} : { previous };
  mustAnnounce(scope, { type: "pull-request-intended", repo: repo.id, branch: repo.base, head, ...from });
  if (pullRequest !== undefined) mustAnnounce(scope, { type: "pull-request-opened", ...pullRequest });
}

/** True if this very change was pushed, perhaps by an engine that is gone: a commit on top of the one that the change began at. */
async function isPushed({ state }: Context, { ticket }: StepScope, repo: Repo): Promise<boolean> {
  const { attempt, pullRequest } = ticketById(state(), ticket.id);
  const from = attempt?.worktree?.baseSha;
  const head = pullRequest?.head;
  if (from === undefined || head === undefined || head === from || !(await repo.contains(head))) return false;
  return (await repo.commitsSince({ from, to: head, most: 1 })) !== undefined;
}

/** Pushes a candidate in the turn of the repository's landings. */
async function push(ctx: Context, scope: StepScope, needs: BranchNeeds): Promise<string | StepFailed> {
  const { repo, change } = needs;
  for (let chase = 0; chase < CHASES; chase += 1) {
    const candidate = await needs.check();
    const weakened = await weakenedBy(ctx, scope, repo, candidate);
    if (weakened !== undefined) return weakened;
    const { base: from, commit: to } = candidate;
    const pushed = await ctx.merges.run(
      repo.id,
      async () => {
        const frozen = freezeReason(ctx.state(), scope.ticket.id);
        if (frozen !== undefined) return failed(frozen);
        intend(scope, needs, to, from);
        const landing = await landHere(ctx, scope, repo, { from, to });
        if (landing.as !== "landed") return landing;
        mustAnnounce(scope, { type: "ci-pushed", repo: repo.id, from, to, files: change.paths.length });
        return to;
      },
      scope.signal,
    );
    if (typeof pushed === "string" || "ok" in pushed) return pushed;
    if (pushed.as !== "moved") return refused(pushed, change);
  }
  return failed(`${plainText(repo.base, 100)} moved ${CHASES} times while the change was being pushed`);
}

/** Moves the branch. Once the forge has it, the checkout here follows, however long that takes. */
async function landHere(
  { clock }: Context,
  scope: StepScope,
  repo: Repo,
  move: { readonly from: string; readonly to: string },
): Promise<Awaited<ReturnType<Repo["land"]>>> {
  for (;;) {
    const landing = await repo.land(move);
    if (landing.as !== "waiting" || landing.isRemote !== true) return landing;
    scope.announce({ type: "merge-waiting", reason: plainText(landing.reason, 300) });
    await pause(clock, LOOK_AGAIN_MS, scope.signal);
    if (scope.signal.aborted) throw new AttemptOver(abortedEnd(scope));
  }
}

/**
 * The evidence of a push that did not succeed. GitHub's tokens need a right of its own for workflows; any other change that is refused for
 * what it holds is an agent's to mend.
 */
function refused(landing: Exclude<Landing, { as: "landed" | "moved" }>, { paths }: Change): StepFailed {
  const summary = `the branch cannot be pushed: ${plainText(landing.reason, 300)}`;
  if (landing.as !== "refused" || landing.isForbidden === true) return failed(summary, "infrastructure");
  return failed(summary, paths.some(({ path }) => isWorkflow(path)) ? "blocked-path" : undefined);
}

function failed(summary: string, cause?: EvidenceCause): StepFailed {
  return { ok: false, evidence: { step: "merge", name: "checks", summary, detail: "", cause } };
}

/**
 * Reads the checks of the commit again and again until they decide. Jobs that failed by their machine, or by flaky tests alone, are started
 * again once.
 */
async function awaitChecks(ctx: Context, scope: StepScope, needs: BranchNeeds, head: string): Promise<Result | "rebuild"> {
  const { checks, appearMs, workflow, repo } = needs;
  const hasWorkflows = (await repo.files(head)).some(isWorkflow);
  const reruns: Reruns = { asked: [], held: heldBefore(knownPullRequest(ctx, scope)) };
  for (;;) {
    if (scope.signal.aborted) throw new AttemptOver(abortedEnd(scope));
    const reading = await ask(ctx, scope, (signal) => checks.read(signal));
    const since = knownPullRequest(ctx, scope)?.arrivedAt ?? ctx.clock.now();
    const expected = failedBefore(ticketById(ctx.state(), scope.ticket.id).ci);
    const move = nextBranchMove(reading, { head, since, appearMs, workflow, hasWorkflows, expected }, ctx.clock.now());
    if (move.do !== "fix") reruns.held = undefined;
    const wait = move.do === "wait" ? move : reruns.held?.wait;
    if (reading.tip === head) reportReading(ctx, scope, seenOfBranch(reading.checks, wait));
    switch (move.do) {
      case "green":
        return green(scope, repo, head);
      case "rebuild":
        return "rebuild";
      case "stop":
        return failed(move.why, "infrastructure");
      case "fix": {
        const result = await red(ctx, scope, needs, { head, failing: move.checks, reruns });
        if (result !== undefined) return result;
        break;
      }
      case "wait":
    }
    await pause(ctx.clock, checks.pauseMs(ctx.clock.now() - since), scope.signal);
  }
}

/** Records that the branch at this commit is what the ticket has landed. */
function green(scope: StepScope, { id, base }: Repo, head: string): Landed {
  const landing = { repo: id, from: head, to: head };
  mustAnnounce(scope, { type: "merge-intended", ...landing });
  const summary = `the checks of ${plainText(base, 100)} pass at ${head.slice(0, 7)}`;
  return { ok: true, summary, commit: head, facts: [{ type: "merge-landed", ...landing }] };
}

/** The failed checks that an attempt starts again. It changes as they are read and started. */
interface Reruns {
  /** Those that this attempt has started again. */
  readonly asked: string[];
  held: HeldRerun | undefined;
  /** The triage of what failed at the last reading, which is read once. */
  told?: { readonly failed: string; readonly triage: Triage } | undefined;
}

/** Gives the failure as evidence; undefined if jobs were started again, or are as soon as the forge does it. */
async function red(
  ctx: Context,
  scope: StepScope,
  { checks, canChange }: BranchNeeds,
  { head, failing, reruns }: { readonly head: string; readonly failing: readonly RemoteCheck[]; readonly reruns: Reruns },
): Promise<StepFailed | undefined> {
  const names = failing.map(({ name }) => name);
  const failed = names.join("\n");
  if (reruns.told?.failed !== failed) reruns.told = { failed, triage: await triageOnBranch(ctx, scope, checks, { head, names }) };
  const { triage } = reruns.told;
  const again = planRerun(names, triage.json, startedAgain(knownPullRequest(ctx, scope), reruns.asked));
  if (canChange && again !== undefined && !isHeldTooLong(ctx, scope)) {
    reruns.held = await rerun(ctx, scope, again, (signal) => checks.rerun(head, again.names, signal));
    if (reruns.held === undefined) {
      reruns.asked.push(...again.names);
      reruns.told = undefined;
    }
    return undefined;
  }
  await keepTriage(ctx.files, scope, triage);
  // An agent's change writes the logs of what runs on it.
  const isOfAgent = ticketById(ctx.state(), scope.ticket.id).ci?.iterations.some(({ commit }) => commit !== undefined) === true;
  const cause = canChange ? failureCause(triage, names, isOfAgent) : "report-only";
  mustAnnounce(scope, { type: "ci-triaged", ...ciFailure(head, names, triage) });
  return { ok: false, evidence: branchEvidence(head, { failing, triage, cause }) };
}

/**
 * The triage of failed checks, by the history of their tests on this commit, and on the branch as the loop found it: no change of the loop
 * had run there, so that commit is the base that can excuse them.
 */
async function triageOnBranch(
  ctx: Context,
  scope: StepScope,
  checks: BranchChecks,
  { head, names }: { readonly head: string; readonly names: readonly string[] },
): Promise<Triage> {
  const { ci, attempt } = ticketById(ctx.state(), scope.ticket.id);
  const meta = { run: ctx.run, ticket: scope.ticket.id, attempt: attempt?.n ?? 0, headSha: head };
  const failures = await ask(ctx, scope, (signal) => checks.failures(head, names, signal));
  const found = ci?.iterations[0]?.failure?.head ?? head;
  const commits = [...new Set([found, head])];
  return triageWithHistory(failures, meta, async () => {
    const past = await Promise.all(commits.map((commit) => ask(ctx, scope, (signal) => checks.history(commit, names, signal))));
    return past.flatMap((each, i) => jobRecords(each, { tree: commits[i] ?? head, isBase: commits[i] === found }));
  });
}

/**
 * The reason why no agent can help: nothing but the machines, or nothing but tests that fail by chance, failed. The logs tell about machines.
 */
function failureCause({ json }: Triage, names: readonly string[], isOfAgent: boolean): EvidenceCause | undefined {
  const { findings, stopReason } = json;
  if (stopReason === "flaky") return "flaky";
  if (isOfAgent) return undefined;
  const ofMachine = new Set(jobsToRerun(findings, new Set()));
  const others = findings.filter(({ job, category }) => category !== "infrastructure" && !ofMachine.has(job));
  return others.length === 0 && names.every((name) => ofMachine.has(name)) ? "infrastructure" : undefined;
}

function ciFailure(head: string, names: readonly string[], { json: { findings, signature } }: Triage): CiFailure {
  const failed = [...new Set(names.map((name) => plainText(name, CHECK_CHARS)))];
  return { head, failed, fixable: fixableKinds(names, findings), signature: signature ?? undefined };
}

function branchEvidence(
  head: string,
  {
    failing,
    triage,
    cause,
  }: { readonly failing: readonly RemoteCheck[]; readonly triage: Triage; readonly cause?: EvidenceCause },
): Evidence {
  const why = `failed on ${head.slice(0, 7)}: ${firstFewLine(
    failing.map(({ name }) => plainText(name, 100)),
    4,
  )}`;
  const evidence = fixEvidence({ do: "fix", why, remarks: [], checks: failing }, triage);
  const { signature } = triage.json;
  return {
    ...evidence,
    name: "checks",
    ...(signature !== null && { signature }),
    ...(cause && { cause }),
  };
}
