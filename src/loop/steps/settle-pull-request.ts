import type { Said } from "../../domain/forge/next-move.ts";
import type { TicketPullRequest } from "../../domain/forge/pull-request-fact.ts";
import { rerunOf, startedAgain } from "../../domain/forge/rerun.ts";
import { ticketOf } from "../../domain/run/state.ts";
import type { Triage } from "../../domain/triage/triage.ts";
import type { FailedCheck, PastCheck, PullRequests } from "../../ports/forge.ts";
import { pause } from "../concurrency/wait.ts";
import type { StepScope } from "../programs/scope.ts";
import { awaitPullRequest, type PullRequestDecision } from "./await-pull-request.ts";
import { keepTriage } from "./keep-triage.ts";
import { fixEvidence, jobRecords, triageWithHistory } from "./pull-request-evidence.ts";
import {
  ask,
  mustAnnounce,
  type OpenPullRequest,
  type PullRequestContext,
  type PullRequestNeeds,
  pullRequestOf,
} from "./pull-request-scope.ts";
import type { StepFailed } from "./step.ts";

/** A decision, or a failure that an agent has to repair. */
type Settled = Exclude<PullRequestDecision, { do: "fix" }> | { readonly do: "failed"; readonly evidence: StepFailed["evidence"] };

/**
 * Waits until a pull request has landed, failed, or is a person's. Checks that failed by something outside the change (a registry, a lost
 * machine) are started again once, and so are those that failed by tests alone that are flaky on the base. All else that failed,
 * failed again, or was said is evidence for an agent: a change may break for good just the test that is flaky.
 */
export async function settlePullRequest(
  ctx: PullRequestContext,
  scope: StepScope,
  needs: PullRequestNeeds,
  open: OpenPullRequest,
): Promise<Settled> {
  let asked: readonly string[] = [];
  let told: { readonly of: string; readonly triage: Triage; readonly since: number } | undefined;
  for (;;) {
    const decision = await awaitPullRequest(ctx, scope, needs, open);
    if (decision.do !== "fix") return decision;
    const names = decision.checks.map(({ name }) => name);
    const of = names.join("\n");
    if (told?.of !== of) told = { of, triage: await readTriage(ctx, scope, needs, { open, names }), since: ctx.clock.now() };
    const { triage, since } = told;
    const already = startedAgain(pullRequestOf(ctx, scope), asked);
    const again = decision.words.length > 0 ? undefined : rerunOf(names, triage.json, already);
    if (again === undefined) {
      recordWords(scope, decision.words);
      return { do: "failed", evidence: fixEvidence(decision, triage) };
    }
    if (isAnyOpen(pullRequestOf(ctx, scope))) {
      await pause(ctx.clock, needs.pulls.pauseMs(ctx.clock.now() - since), scope.signal);
      continue;
    }
    told = undefined;
    asked = [...asked, ...again.names];
    mustAnnounce(scope, { type: "pull-request-rerun", ...again });
    await ask(ctx, scope, () => needs.pulls.rerun(open.head, again.names));
    await pause(ctx.clock, needs.pulls.pauseMs(0), scope.signal);
  }
}

/** Reads the triage of failed checks, and keeps it where people find it. Without a failed check there is none to keep. */
async function readTriage(
  ctx: PullRequestContext,
  scope: StepScope,
  needs: PullRequestNeeds,
  { open, names }: { readonly open: OpenPullRequest; readonly names: readonly string[] },
): Promise<Triage> {
  const failures = names.length === 0 ? [] : await ask(ctx, scope, () => needs.pulls.failures(open.head, names));
  const triage = await triageOnBase(ctx, scope, needs, { open, failures });
  if (failures.length > 0) await keepTriage(ctx.files, scope, triage);
  return triage;
}

/** True if required checks are not over. GitHub starts no job again while others of its workflow run, and nothing lands before they are over. */
function isAnyOpen(known: TicketPullRequest | undefined): boolean {
  const checks = known?.seen?.checks ?? [];
  return checks.some(({ state, isRequired }) => isRequired === true && (state === "running" || state === "waiting"));
}

/** The triage of failed checks, by the history of their tests on the base and on this head. */
async function triageOnBase(
  ctx: PullRequestContext,
  scope: StepScope,
  { pulls }: PullRequestNeeds,
  { open, failures }: { readonly open: OpenPullRequest; readonly failures: readonly FailedCheck[] },
): Promise<Triage> {
  const { id: ticket } = scope.ticket;
  const attempt = ticketOf(ctx.state(), ticket).attempt?.n ?? 0;
  const meta = { run: ctx.run, ticket, attempt, headSha: open.head };
  const names = failures.map(({ name }) => name);
  return triageWithHistory(failures, meta, async () => {
    const onBase = await baseHistory(ctx, scope, pulls, { base: open.base, names });
    const onHead = await ask(ctx, scope, () => pulls.history(open.head, names));
    return [...jobRecords(onBase, { tree: open.base, isBase: true }), ...jobRecords(onHead, { tree: open.head, isBase: false })];
  });
}

/** The histories of checks on commits of the base, each asked for once by an engine. */
const HISTORIES = new WeakMap<PullRequests, Map<string, readonly PastCheck[]>>();

async function baseHistory(
  ctx: PullRequestContext,
  scope: StepScope,
  pulls: PullRequests,
  { base, names }: { readonly base: string; readonly names: readonly string[] },
): Promise<readonly PastCheck[]> {
  const known = HISTORIES.get(pulls) ?? new Map<string, readonly PastCheck[]>();
  HISTORIES.set(pulls, known);
  const key = JSON.stringify([base, names.toSorted()]);
  const history = known.get(key) ?? (await ask(ctx, scope, () => pulls.history(base, names)));
  known.set(key, history);
  return history;
}

/** Records the words that an agent gets: it gets them once. */
function recordWords(scope: StepScope, words: readonly Said[]): void {
  if (words.length === 0) return;
  const people = words.filter((said) => said.kind === "words" || !said.isBot).length;
  mustAnnounce(scope, { type: "pull-request-words", ids: words.map(({ id }) => id), people });
}
