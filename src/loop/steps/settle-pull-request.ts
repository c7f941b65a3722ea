import type { Said } from "../../domain/forge/next-move.ts";
import type { TicketPullRequest } from "../../domain/forge/pull-request-fact.ts";
import { ticketOf } from "../../domain/run/state.ts";
import { flakyTests, testRecords } from "../../domain/triage/flaky.ts";
import { rerunsOf } from "../../domain/triage/infrastructure.ts";
import type { Triage } from "../../domain/triage/triage.ts";
import type { FailedCheck, PastCheck, PullRequests } from "../../ports/forge.ts";
import { pause } from "../concurrency/wait.ts";
import type { StepScope } from "../programs/scope.ts";
import { awaitPullRequest, type PullRequestDecision } from "./await-pull-request.ts";
import { keepTriage } from "./keep-triage.ts";
import { fixEvidence, jobRecords, triageOfChecks } from "./pull-request-evidence.ts";
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
  for (;;) {
    const decision = await awaitPullRequest(ctx, scope, needs, open);
    if (decision.do !== "fix") return decision;
    const names = decision.checks.map(({ name }) => name);
    const failures = names.length === 0 ? [] : await ask(ctx, scope, () => needs.pulls.failures(open.head, names));
    const triage = await triageOf(ctx, scope, needs, { open, failures });
    const already = startedAgain(pullRequestOf(ctx, scope), asked);
    const isFlaky = triage.json.stopReason === "flaky" && decision.words.length === 0;
    const again = isFlaky ? names.filter((name) => !already.has(name)) : rerunsOf(triage.json.findings, already);
    if (decision.words.length > 0 || again.length === 0 || (!isFlaky && again.length < names.length)) {
      await keepTriage(ctx.files, scope, triage);
      recordWords(scope, decision.words);
      return { do: "failed", evidence: fixEvidence(decision, triage) };
    }
    asked = [...asked, ...again];
    mustAnnounce(scope, { type: "pull-request-rerun", names: again });
    await ask(ctx, scope, () => needs.pulls.rerun(open.head, again));
    await pause(ctx.clock, needs.pulls.pauseMs(0), scope.signal);
  }
}

/** The triage of failed checks. The forge is asked for the history of their tests only if tests alone have failed. */
async function triageOf(
  ctx: PullRequestContext,
  scope: StepScope,
  { pulls }: PullRequestNeeds,
  { open, failures }: { readonly open: OpenPullRequest; readonly failures: readonly FailedCheck[] },
): Promise<Triage> {
  const { id: ticket } = scope.ticket;
  const attempt = ticketOf(ctx.state(), ticket).attempt?.n ?? 0;
  const meta = { run: ctx.run, ticket, attempt, headSha: open.head };
  const plain = triageOfChecks(failures, meta);
  const { findings } = plain.json;
  const areTests = findings.length > 0 && findings.every(({ category, test }) => category === "test" && test !== undefined);
  if (!areTests) return plain;
  const names = failures.map(({ name }) => name);
  const onBase = jobRecords(await baseHistory(ctx, scope, pulls, { base: open.base, names }), { tree: open.base, isBase: true });
  const onHead = jobRecords(await ask(ctx, scope, () => pulls.history(open.head, names)), { tree: open.head, isBase: false });
  return triageOfChecks(failures, meta, flakyTests(testRecords([...onBase, ...onHead])));
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

/**
 * The checks that were started again: those that this engine asked for, and those that a reading has shown otherwise than failed since. The
 * engine before this one may have died between the intent and the request.
 */
function startedAgain(known: TicketPullRequest | undefined, asked: readonly string[]): ReadonlySet<string> {
  const unseen = new Set(known?.unseenReruns);
  return new Set((known?.rerun ?? []).filter((name) => asked.includes(name) || !unseen.has(name)));
}

/** Records the words that an agent gets: it gets them once. */
function recordWords(scope: StepScope, words: readonly Said[]): void {
  if (words.length === 0) return;
  const people = words.filter((said) => said.kind === "words" || !said.isBot).length;
  mustAnnounce(scope, { type: "pull-request-words", ids: words.map(({ id }) => id), people });
}
