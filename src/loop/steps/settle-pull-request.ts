import type { Triage } from "@loopdash/triage";
import type { PullRequestRemark } from "../../domain/forge/next-move.ts";
import type { TicketPullRequest } from "../../domain/forge/pull-request-fact.ts";
import { planRerun, startedAgain } from "../../domain/forge/rerun.ts";
import { ticketById } from "../../domain/run/state.ts";
import type { FailedCheck, PastCheck } from "../../ports/forge.ts";
import { pause } from "../concurrency/wait.ts";
import type { StepScope } from "../programs/scope.ts";
import { awaitPullRequest, type PullRequestDecision } from "./await-pull-request.ts";
import { keepTriage } from "./keep-triage.ts";
import { fixEvidence, jobRecords, triageWithHistory } from "./pull-request-evidence.ts";
import {
  ask,
  knownPullRequest,
  mustAnnounce,
  type OpenPullRequest,
  type PullRequestContext,
  type PullRequestNeeds,
} from "./pull-request-scope.ts";
import { type HeldRerun, heldBefore, isHeldTooLong, rerun } from "./rerun.ts";
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
  const reruns: Reruns = { asked: [], held: heldBefore(knownPullRequest(ctx, scope)) };
  for (;;) {
    const decision = await awaitPullRequest(ctx, scope, needs, { ...open, rerunWait: reruns.held?.wait });
    if (decision.do !== "fix") return decision;
    const evidence = await afterFailure(ctx, scope, needs, { open, decision, reruns });
    if (evidence !== undefined) return { do: "failed", evidence };
  }
}

/** The re-runs of one wait: the names that it has asked for, the one that the forge has put off, and the triage of what failed. */
interface Reruns {
  asked: readonly string[];
  held: HeldRerun | undefined;
  told?: { readonly failed: string; readonly triage: Triage; readonly since: number } | undefined;
}

/** Gives the evidence for an agent. Undefined, after a pause, if failed checks were started again or will be. */
async function afterFailure(
  ctx: PullRequestContext,
  scope: StepScope,
  needs: PullRequestNeeds,
  {
    open,
    decision,
    reruns,
  }: { readonly open: OpenPullRequest; readonly decision: Extract<PullRequestDecision, { do: "fix" }>; readonly reruns: Reruns },
): Promise<StepFailed["evidence"] | undefined> {
  const names = decision.checks.map(({ name }) => name);
  const { triage, since } = await triageOnce(ctx, scope, needs, { open, names, reruns });
  const known = knownPullRequest(ctx, scope);
  // While a required check runs, nothing is put off: the time for that begins anew.
  if (isAnyOpen(known)) reruns.held = undefined;
  const again = decision.remarks.length > 0 ? undefined : planRerun(names, triage.json, startedAgain(known, reruns.asked));
  if (again === undefined || (reruns.held !== undefined && isHeldTooLong(ctx, scope))) {
    recordRemarks(scope, decision.remarks);
    return fixEvidence(decision, triage);
  }
  let waitedMs = ctx.clock.now() - since;
  if (!isAnyOpen(known, reruns.held?.open)) {
    reruns.held = await rerun(ctx, scope, again, () => needs.pulls.rerun(open.head, again.names));
    if (reruns.held === undefined) {
      waitedMs = 0;
      reruns.told = undefined;
      reruns.asked = [...reruns.asked, ...again.names];
    }
  }
  await pause(ctx.clock, needs.pulls.pauseMs(waitedMs), scope.signal);
  return undefined;
}

/** The triage of these failed checks, read once. If others had failed before, what was put off was another re-run. */
async function triageOnce(
  ctx: PullRequestContext,
  scope: StepScope,
  needs: PullRequestNeeds,
  { open, names, reruns }: { readonly open: OpenPullRequest; readonly names: readonly string[]; readonly reruns: Reruns },
): Promise<NonNullable<Reruns["told"]>> {
  const failed = names.join("\n");
  if (reruns.told?.failed === failed) return reruns.told;
  if (reruns.told !== undefined) reruns.held = undefined;
  const triage = await readTriage(ctx, scope, needs, { open, names });
  reruns.told = { failed, triage, since: ctx.clock.now() };
  return reruns.told;
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
  const attempt = ticketById(ctx.state(), ticket).attempt?.n ?? 0;
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
function recordRemarks(scope: StepScope, remarks: readonly PullRequestRemark[]): void {
  if (remarks.length === 0) return;
  const people = remarks.filter((remark) => remark.kind === "comment" || !remark.isBot).length;
  mustAnnounce(scope, { type: "pull-request-words", ids: remarks.map(({ id }) => id), people });
}
