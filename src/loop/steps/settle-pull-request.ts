import type { PullRequestWait, Remark } from "../../domain/forge/next-move.ts";
import { heldSince, type RerunCategory, type TicketPullRequest } from "../../domain/forge/pull-request-fact.ts";
import { rerunOf, startedAgain } from "../../domain/forge/rerun.ts";
import { ticketOf } from "../../domain/run/state.ts";
import type { Triage } from "../../domain/triage/triage.ts";
import { type FailedCheck, JobsStillRun, type PastCheck } from "../../ports/forge.ts";
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

/** The time for which the forge may put off a re-run: an optional job of the same workflow run may take long. Milliseconds. */
const RERUN_MS = 60 * 60_000;

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
  let held = heldBefore(pullRequestOf(ctx, scope));
  for (;;) {
    const decision = await awaitPullRequest(ctx, scope, needs, { ...open, rerunWait: held?.wait });
    if (decision.do !== "fix") return decision;
    const names = decision.checks.map(({ name }) => name);
    const of = names.join("\n");
    if (told?.of !== of) told = { of, triage: await readTriage(ctx, scope, needs, { open, names }), since: ctx.clock.now() };
    const { triage, since } = told;
    const already = startedAgain(pullRequestOf(ctx, scope), asked);
    const again = decision.remarks.length > 0 ? undefined : rerunOf(names, triage.json, already);
    if (again === undefined || isHeldTooLong(ctx, scope)) {
      recordRemarks(scope, decision.remarks);
      return { do: "failed", evidence: fixEvidence(decision, triage) };
    }
    if (isAnyOpen(pullRequestOf(ctx, scope), held?.open)) {
      await pause(ctx.clock, needs.pulls.pauseMs(ctx.clock.now() - since), scope.signal);
      continue;
    }
    const refusal = await rerun(ctx, scope, needs, { head: open.head, ...again });
    held = refusal && { open: refusal.open, wait: { why: refusal.message, on: "rerun" } };
    let waitedMs = ctx.clock.now() - since;
    if (held === undefined) {
      waitedMs = 0;
      told = undefined;
      asked = [...asked, ...again.names];
    }
    await pause(ctx.clock, needs.pulls.pauseMs(waitedMs), scope.signal);
  }
}

/** A re-run that the forge has put off, and the jobs that have to end first, as far as they are known. */
interface HeldRerun {
  readonly open: readonly string[];
  readonly wait: PullRequestWait;
}

/** The re-run that the forge had put off when the engine before this one looked last. */
function heldBefore(known: TicketPullRequest | undefined): HeldRerun | undefined {
  const { waits, waitsOn } = known?.seen ?? {};
  return waits === undefined || waitsOn !== "rerun" ? undefined : { open: [], wait: { why: waits, on: waitsOn } };
}

/** True if the forge has put off the re-run for as long as it may, by the journal. */
function isHeldTooLong(ctx: PullRequestContext, scope: StepScope): boolean {
  const since = heldSince(pullRequestOf(ctx, scope), "rerun");
  return since !== undefined && ctx.clock.now() - since >= RERUN_MS;
}

/** Starts failed checks again, announced once. Gives the refusal if the forge does that only after other jobs. */
async function rerun(
  ctx: PullRequestContext,
  scope: StepScope,
  { pulls }: PullRequestNeeds,
  { head, ...again }: { readonly head: string; readonly names: readonly string[]; readonly category: RerunCategory },
): Promise<JobsStillRun | undefined> {
  const unseen = new Set(pullRequestOf(ctx, scope)?.unseenReruns);
  if (!again.names.every((name) => unseen.has(name))) mustAnnounce(scope, { type: "pull-request-rerun", ...again });
  return ask(ctx, scope, async () => {
    try {
      await pulls.rerun(head, again.names);
      return undefined;
    } catch (error) {
      if (error instanceof JobsStillRun) return error;
      throw error;
    }
  });
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

/** True if required checks are not over, or `others` are not, for which the forge waits. Nothing lands before the required ones are over. */
function isAnyOpen(known: TicketPullRequest | undefined, others: readonly string[] = []): boolean {
  const checks = known?.seen?.checks ?? [];
  const counts = ({ name, isRequired }: (typeof checks)[number]): boolean => isRequired === true || others.includes(name);
  return checks.some((check) => counts(check) && (check.state === "running" || check.state === "waiting"));
}

/** The triage of failed checks, by the history of their tests on the base and on this head. */
async function triageOnBase(
  ctx: PullRequestContext,
  scope: StepScope,
  needs: PullRequestNeeds,
  { open, failures }: { readonly open: OpenPullRequest; readonly failures: readonly FailedCheck[] },
): Promise<Triage> {
  const { id: ticket } = scope.ticket;
  const attempt = ticketOf(ctx.state(), ticket).attempt?.n ?? 0;
  const meta = { run: ctx.run, ticket, attempt, headSha: open.head };
  const names = failures.map(({ name }) => name);
  return triageWithHistory(failures, meta, async () => {
    const onBase = await baseHistory(ctx, scope, needs, { base: open.base, names });
    const onHead = await ask(ctx, scope, () => needs.pulls.history(open.head, names));
    return [...jobRecords(onBase, { tree: open.base, isBase: true }), ...jobRecords(onHead, { tree: open.head, isBase: false })];
  });
}

async function baseHistory(
  ctx: PullRequestContext,
  scope: StepScope,
  { pulls, histories }: PullRequestNeeds,
  { base, names }: { readonly base: string; readonly names: readonly string[] },
): Promise<readonly PastCheck[]> {
  const key = JSON.stringify([base, names.toSorted()]);
  const history = histories.get(key) ?? (await ask(ctx, scope, () => pulls.history(base, names)));
  histories.set(key, history);
  return history;
}

/** Records the remarks that an agent gets: it gets them once. */
function recordRemarks(scope: StepScope, remarks: readonly Remark[]): void {
  if (remarks.length === 0) return;
  const people = remarks.filter((remark) => remark.kind === "comment" || !remark.isBot).length;
  mustAnnounce(scope, { type: "pull-request-words", ids: remarks.map(({ id }) => id), people });
}
