import { isCiFile } from "../../domain/batch/default-protect.ts";
import { peoplesAct } from "../../domain/forge/next-move.ts";
import { hasArrived, type TicketPullRequest } from "../../domain/forge/pull-request-fact.ts";
import { templatePath } from "../../domain/forge/pull-request-template.ts";
import { summarizePullRequest } from "../../domain/forge/seen.ts";
import { ticketById } from "../../domain/run/state.ts";
import { plainText } from "../../domain/values/text.ts";
import type { Proposal, Proposed, PullRequests } from "../../ports/forge.ts";
import type { Landing, Repo } from "../../ports/vcs.ts";
import { pause } from "../concurrency/wait.ts";
import { AttemptOver, abortedEnd, type StepScope } from "../programs/scope.ts";
import {
  ask,
  gate,
  knownPullRequest,
  mustAnnounce,
  type OpenPullRequest,
  type PullRequestContext,
  type PullRequestNeeds,
  reportReading,
} from "./pull-request-scope.ts";
import { settlePullRequest } from "./settle-pull-request.ts";
import { type Built, CHASES, type Landed, type StepFailed } from "./step.ts";

/** Times that the forge may refuse the same push, or pull request. */
const PROPOSALS = 3;

/**
 * Lands the checked candidate through a pull request: pushes it, waits until the forge's rules and checks allow the merge of exactly
 * that commit, and merges it. Nobody's queue is held meanwhile. A failure at the forge is evidence for the next attempt; an act that
 * only a person can perform ends the attempt at a human gate.
 */
export async function landByPullRequest(
  ctx: PullRequestContext,
  scope: StepScope,
  needs: PullRequestNeeds,
): Promise<Landed | StepFailed> {
  let { checked } = needs;
  for (let chase = 0; chase < CHASES; chase += 1) {
    const isStale = needs.isOutdated() || checked.base !== (await needs.repo.baseTip());
    if (isStale) checked = await needs.checkAgain();
    const open = await present(ctx, scope, needs, checked);
    if ("evidence" in open) return open;
    const decision = await settlePullRequest(ctx, scope, needs, open);
    switch (decision.do) {
      case "landed":
        return bringHome(ctx, scope, needs, { commit: decision.commit, number: open.number });
      case "failed":
        return { ok: false, evidence: decision.evidence };
      case "gate":
        throw gate(scope, { number: open.number, step: decision.step });
      case "absent":
        if (decision.isAny && (await isWithoutCi(ctx, scope, needs.repo, open)))
          throw gate(scope, { number: open.number, step: decision.step });
        return absent(decision.step, wasAbsent(ctx, scope, decision.step));
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
  ctx: PullRequestContext,
  scope: StepScope,
  needs: Omit<PullRequestNeeds, "checked" | "checkAgain">,
): Promise<Landed | undefined> {
  const known = knownPullRequest(ctx, scope);
  if (known?.number === undefined || known.branch !== needs.branch) return undefined;
  const { number, head } = known;
  const read = await ask(ctx, scope, () => needs.pulls.read(number));
  const isOurs = read.head === head && read.base === needs.rules.base;
  if (read.state !== "merged" || !isOurs || read.mergeCommit === undefined) return undefined;
  return bringHome(ctx, scope, needs, { commit: read.mergeCommit, number });
}

/**
 * Pushes the candidate to the ticket's branch, after what was pushed there before, and opens or updates its pull request. A refusal of what
 * the change holds is evidence for the next attempt.
 */
async function present(
  ctx: PullRequestContext,
  scope: StepScope,
  needs: PullRequestNeeds,
  checked: Built,
): Promise<OpenPullRequest | StepFailed> {
  const { repo, pulls, branch } = needs;
  const known = knownPullRequest(ctx, scope);
  const before = known?.branch === branch ? known : undefined;
  const { title } = needs.message();
  const texts = { title, body: needs.text(checked.base, await readTemplate(repo, checked.base)) };
  const pushAfter = async (previous: string | undefined): Promise<{ readonly head: string; readonly proposed: Proposed }> => {
    const head = await headFor(repo, checked, previous);
    const pushed = { branch, head, previous: previous !== undefined && previous !== head ? previous : undefined };
    mustAnnounce(scope, { type: "pull-request-intended", repo: repo.id, ...pushed });
    return { head, proposed: await proposeUntilRefused(ctx, scope, pulls, { ...pushed, ...texts }) };
  };
  const first = await pushAfter(before?.head);
  const from = lostPush(before, first.proposed);
  // The forge may refuse just the commits that never arrived, so the new commit does not continue them.
  const { head, proposed } = from === undefined ? first : await pushAfter(from.previous);
  if (proposed.as === "open") {
    const { number, url } = proposed;
    if (known?.number !== number) mustAnnounce(scope, { type: "pull-request-opened", number, url });
    return { number, head, base: checked.base };
  }
  if (proposed.as === "refused" && proposed.isForbidden !== true) {
    const summary = `the push is refused: ${plainText(proposed.reason, 300)}`;
    return { ok: false, evidence: { step: "merge", name: "merge", summary, detail: "" } };
  }
  throw gate(scope, { number: known?.number ?? 0, step: pushHumanStep(proposed, needs) });
}

/**
 * The commit from which to push instead, if the push before never arrived (the forge refused it, or it was cut off): the branch is still
 * where it was before that push. Undefined if somebody else has moved it.
 */
function lostPush(before: TicketPullRequest | undefined, proposed: Proposed): Pick<Proposal, "previous"> | undefined {
  if (before === undefined || proposed.as !== "moved" || hasArrived(before) || proposed.tip !== before.tipBeforePush)
    return undefined;
  return before.tipBeforePush === undefined ? {} : { previous: before.tipBeforePush };
}

/** The step of a person after a push that did not succeed. */
function pushHumanStep(proposed: Exclude<Proposed, { as: "open" }>, { branch, pulls }: PullRequestNeeds): string {
  if (proposed.as === "refused") return `let loopdash push ${branch} to ${pulls.name}, and reopen the ticket: ${proposed.reason}`;
  const found = proposed.tip === undefined ? "was removed" : `is at ${plainText(proposed.tip.slice(0, 12), 12)}`;
  return `the branch ${branch} of ${pulls.name} ${found}, where loopdash did not leave it: remove it, and reopen the ticket`;
}

/**
 * The failure of a change for which a check did not appear: the change may be why. `again`: an agent before has tried. A third one is no cure,
 * and no change may open a human gate, so the ticket is given up with the step as its reason.
 */
function absent(step: string, again = false): StepFailed {
  const cause = again ? { cause: "infrastructure" as const } : {};
  const detail =
    "The engine cannot tell whether the change is why: it may rename or remove what starts the check, or touch only files that the check leaves out. If so, change that. Otherwise a person has to start the check.";
  return { ok: false, evidence: { step: "merge", name: "pull request", summary: plainText(step, 300), detail, ...cause } };
}

/** True if an attempt before has failed because the same check did not appear: another agent is no cure. */
function wasAbsent({ state }: PullRequestContext, { ticket }: StepScope, step: string): boolean {
  const { summary } = absent(step).evidence;
  return ticketById(state(), ticket.id).evidence.some((before) => before.step === "merge" && before.summary === summary);
}

/**
 * True if no change of a worker's can be why no check appears: neither the base nor the change has a file that starts one, and the pull
 * request never had one.
 */
async function isWithoutCi(
  ctx: PullRequestContext,
  scope: StepScope,
  repo: Repo,
  { base, head }: OpenPullRequest,
): Promise<boolean> {
  if (knownPullRequest(ctx, scope)?.hadChecks === true) return false;
  const files = [await repo.files(base), await repo.files(head)];
  return !files.flat().some(isCiFile);
}

/** Proposes again after a refusal, a few times: a hook of the forge may depend on something that passes. */
async function proposeUntilRefused(
  ctx: PullRequestContext,
  scope: StepScope,
  pulls: PullRequests,
  proposal: Proposal,
): Promise<Proposed> {
  for (let tries = 1; ; tries += 1) {
    const proposed = await ask(ctx, scope, () => pulls.propose(proposal, scope.signal));
    if (proposed.as !== "refused" || tries === PROPOSALS) return proposed;
    const ms = pulls.pauseMs(Number.POSITIVE_INFINITY);
    scope.announce({ type: "merge-waiting", reason: plainText(proposed.reason, 300), until: ctx.clock.now() + ms });
    await pause(ctx.clock, ms, scope.signal);
  }
}

/** The repository's own template for pull requests, as its base has it: the change under judgement has no say in it. */
async function readTemplate(repo: Repo, base: string): Promise<string | undefined> {
  const path = templatePath(await repo.files(base));
  return path === undefined ? undefined : repo.readFile({ commit: base, path });
}

/**
 * The commit to push: the candidate, or one with its files that continues the last pushed one. That one stays if it has the
 * same files on the same base: a new engine builds the same change with another date.
 */
async function headFor(repo: Repo, { commit, base }: Built, previous: string | undefined): Promise<string> {
  if (previous === undefined || previous === commit || !(await repo.has(previous))) return commit;
  const { paths } = await repo.change({ from: previous, tip: commit });
  const isOnBase = (await repo.commitsSince({ from: base, to: previous, most: 1 })) !== undefined;
  return paths.length === 0 && isOnBase ? previous : repo.continueFrom({ previous, candidate: commit });
}

/**
 * Brings the base of this machine to what the forge has merged, and records the landing once both bases hold it. The forge may say so before,
 * or of another commit, or never, and the base here may not be able to follow: after a bound, that is a person's.
 */
async function bringHome(
  ctx: PullRequestContext,
  scope: StepScope,
  needs: Omit<PullRequestNeeds, "checked" | "checkAgain">,
  { commit: told, number }: { readonly commit: string; readonly number: number },
): Promise<Landed> {
  const { repo, pulls, branch } = needs;
  let since: number | undefined;
  for (let commit = told; ; ) {
    const landing = await ctx.merges.run(repo.id, () => landHere(scope, repo, commit), scope.signal);
    if ("facts" in landing) {
      await removeLandedBranch(ctx, scope, { pulls, branch });
      const summary = `pull request #${number} landed on ${repo.base} as ${commit.slice(0, 7)}`;
      return { ok: true, summary, commit, ...landing };
    }
    since ??= ctx.clock.ran();
    commit = await untilNextLook(ctx, scope, needs, { commit, number, since, landing });
  }
}

type NotHere = Exclude<Landing, { as: "landed" }>;
type Here = Required<Pick<Landed, "facts">>;

/** Brings a merge here: the facts of the landing, or why it cannot be recorded yet. */
async function landHere(scope: StepScope, repo: Repo, to: string): Promise<Here | NotHere> {
  const landing = await repo.land({ from: await repo.baseTip(), to, isMerged: true });
  if (landing.as !== "landed") return landing;
  const from = (await repo.parent(to)) ?? to;
  mustAnnounce(scope, { type: "merge-intended", repo: repo.id, from, to });
  return { facts: [{ type: "merge-landed" as const, repo: repo.id, from, to }] };
}

/** Waits with words before a merge is looked for again: a person's after a bound. Gives the commit that the forge names by now. */
async function untilNextLook(
  ctx: PullRequestContext,
  scope: StepScope,
  { pulls, rules }: Pick<PullRequestNeeds, "pulls" | "rules">,
  told: { readonly commit: string; readonly number: number; readonly since: number; readonly landing: NotHere },
): Promise<string> {
  const { commit, number, since, landing } = told;
  const waited = ctx.clock.ran() - since;
  const read = await ask(ctx, scope, () => pulls.read(number));
  const act = peoplesAct(read, { rules, own: { head: knownPullRequest(ctx, scope)?.head ?? "" } });
  if (act?.do === "gate") throw gate(scope, { number, step: act.step });
  const [short, base] = [plainText(commit.slice(0, 12), 12), plainText(rules.base, 100)];
  const isAbsent = landing.as === "waiting" && landing.isAbsent === true;
  const here = landing.as === "moved" ? "it moves while it is brought up to date" : plainText(landing.reason, 300);
  const why = isAbsent
    ? `its merge was told as ${short}, which ${base} there lacks: it is shown as ${read.state}`
    : `it is merged as ${short}, and ${base} here cannot follow: ${here}`;
  if (waited >= rules.appearMs) {
    const todo = isAbsent ? "look at it there, then reopen the ticket" : "see to that, then reopen the ticket";
    const step = `pull request #${number}: ${why} (waited ${Math.round(rules.appearMs / 60_000)} min): ${todo} (${read.url})`;
    throw gate(scope, { number, step });
  }
  reportReading(ctx, scope, summarizePullRequest(read, rules, { why, until: ctx.clock.now() + rules.appearMs - waited }));
  await pause(ctx.clock, pulls.pauseMs(waited), scope.signal);
  if (scope.signal.aborted) throw new AttemptOver(abortedEnd(scope));
  return act?.commit ?? commit;
}

/** Removes the branch of a pull request that has landed, unless it is gone, or somebody else has moved it. */
export async function removeLandedBranch(
  ctx: PullRequestContext,
  scope: StepScope,
  { pulls, branch }: Pick<PullRequestNeeds, "pulls" | "branch">,
): Promise<void> {
  const known = knownPullRequest(ctx, scope);
  if (known?.branch === branch) await ask(ctx, scope, () => pulls.removeBranch(branch, known.head));
}
