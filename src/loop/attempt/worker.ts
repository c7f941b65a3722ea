import { copiedPaths } from "../../domain/batch/copy-spec.ts";
import type { Ticket } from "../../domain/batch/schema.ts";
import type { Bound } from "../../domain/bound/bound.ts";
import { type ComplexityRuling, isHarder } from "../../domain/complexity/classes.ts";
import { hiddenLines } from "../../domain/complexity/hidden-lines.ts";
import { complexityOfChange } from "../../domain/complexity/of-change.ts";
import { planToJudge } from "../../domain/complexity/planned.ts";
import type { LayoutRepair } from "../../domain/run/attempt-fact.ts";
import { ticketBranch } from "../../domain/run/kept-work.ts";
import { ticketById } from "../../domain/run/state.ts";
import type { PendingWork, TicketState } from "../../domain/run/ticket-state.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { ForgeUnavailable } from "../../ports/forge.ts";
import { type Change, type Repo, RepoUnavailable } from "../../ports/vcs.ts";
import { OutageGivenUp } from "../concurrency/outages.ts";
import { confineAgent, opened } from "../programs/confine.ts";
import { workToContinue } from "../programs/landed-change.ts";
import { prepareWorktree } from "../programs/prepare.ts";
import { withReadOnlyZones } from "../programs/read-only-zones.ts";
import { type AttemptEnd, AttemptOver, abortedEnd } from "../programs/scope.ts";
import { cutShort } from "./agent-end.ts";
import { beginWorktree, persistBegin, type WorktreeStart } from "./begin-worktree.ts";
import { reflectChange, reportRelevance } from "./behaviour.ts";
import { capturedFact, captureFault, captureWork } from "./capture.ts";
import { readClaims } from "./claims.ts";
import { type AttemptScope, createAnnouncer, type LoopContext, type OpenAttempt, ticketRepo, waitingRepo } from "./context.ts";
import { finishLanded, runFinishLine } from "./finish-line.ts";
import { repairLayout, runFixers } from "./fixers.ts";
import { cleanUp, keepPatch, keepSetAside, keepWork } from "./kept-work.ts";
import { isToPlan, judgeWrittenPlan, keptOut, planFirst } from "./planning.ts";
import { lastPatch, writeAttemptPrompt } from "./prompt-of-attempt.ts";
import { remedyAfterFailure, runAgent, withRemedy } from "./run-agent.ts";
import { ruleOnWall, wallToRuleOn } from "./wall.ts";

/**
 * Runs one attempt at a ticket: worktree, agent, capture, finish line, cleanup. The work of an agent that was cut off is kept.
 * Reports every fact with its fence. If the journal cannot be written any more, its worktree stays. Never throws.
 */
export async function work(loop: LoopContext, scope: AttemptScope): Promise<void> {
  const { ticket, fence } = scope;
  const ctx = guardedBy(loop, ticket);
  const repo = waitingRepo(ctx, ticket, scope.signal);
  const path = ctx.files.worktreePath(ticket.id, scope.n);
  const branch = ticketBranch(ctx.run, ticket.id);
  const run = chooseTask(ctx, ticket);
  const ended = await run(ctx, scope, repo, { path, branch }).catch((error: unknown) => endFromError(scope, error));
  const end = withRemedy(ctx, scope, ended);
  if (ctx.isBroken()) return;
  const done = end.outcome === "done";
  if (done) finished(ctx, scope);
  // A next attempt takes the same branch, so the worktree of a failed one goes first; a done one frees its dependents at once.
  const report = (): void => {
    remedyAfterFailure(ctx, scope, end);
    ctx.report({ type: "attempt-ended", ticket: ticket.id, fence, ...end });
  };
  if (done) report();
  const isKept = !done && (await keepWork(ctx, scope, repo, end.outcome));
  const { gone } = await cleanUp(ctx, ticket.id, { path, deleteBranch: done || isKept });
  if (done) return;
  // A failure on a full disk says nothing about the work. It waits until there is room, and is not counted.
  const isFailure = end.outcome === "failed" || end.outcome === "stopped";
  if (!isFailure || (await hasRoom(ctx))) return void report();
  // The worktree itself may fill the disk.
  await gone;
  if (await hasRoom(ctx)) return void report();
  await waitForRoom(ctx, scope);
  const evidence =
    end.evidence === undefined
      ? {}
      : { evidence: { ...end.evidence, summary: `postponed, because the disk was full: ${end.evidence.summary}` } };
  ctx.report({ type: "attempt-ended", ticket: ticket.id, fence, outcome: "stopped", ...evidence });
}

/** What the next attempt at a ticket is for. */
function chooseTask({ batch, state }: LoopContext, { id }: Ticket): typeof attempt {
  const ticket = ticketById(state(), id);
  if (wallToRuleOn(ticket) !== undefined) return ruleOnWall;
  return planToJudge(batch, ticket) === undefined ? attempt : judgeWrittenPlan;
}

/** The context for a ticket: what its contract protects, and copied files, are protected wherever the batch's paths are. */
function guardedBy(ctx: LoopContext, { contract, repo }: Ticket): LoopContext {
  const protect = [...(contract?.safety?.protect ?? []), ...copiedPaths(ctx.batch.repos[repo]?.copy)];
  return protect.length === 0 ? ctx : { ...ctx, batch: { ...ctx.batch, protect: [...ctx.batch.protect, ...protect] } };
}

/** The rules of a ticket's repository, if its zones are read-only. */
function readOnlyBound({ batch }: LoopContext, { repo }: Ticket): Bound | undefined {
  return batch.bound?.zones === "read-only" ? batch.bounds?.[repo] : undefined;
}

/** Without an answer, a disk has no room (law 4). */
function hasRoom({ files }: LoopContext): Promise<boolean> {
  return files.hasRoom().catch(() => false);
}

/** Waits until the disk has room again: another worker that filled it may be ending right now. */
async function waitForRoom(ctx: LoopContext, { signal }: AttemptScope): Promise<void> {
  const requireRoom = async (): Promise<void> => {
    if (!(await ctx.files.hasRoom())) throw new Error("the disk that holds the run is full");
  };
  await ctx.outages.persist("disk", requireRoom, { signal }).catch((error: unknown) => {
    // The run is ending, and goes on from here once there is room.
    if (!signal.aborted && !(error instanceof OutageGivenUp)) throw error;
  });
}

function finished(ctx: LoopContext, scope: AttemptScope): void {
  const started = ticketById(ctx.state(), scope.ticket.id).attempt?.startedAt;
  if (started === undefined) return;
  try {
    ctx.recordDuration(scope.ticket.id, ctx.clock.now() - started);
  } catch (error) {
    // Harmless: durations guide the order of later runs only.
    process.emitWarning(`could not record what ${scope.ticket.id} took: ${errorMessage(error)}`);
  }
}

function endFromError(scope: AttemptScope, error: unknown): AttemptEnd {
  if (error instanceof AttemptOver) return error.end;
  // A forge or a repository that was not waited for any longer because the attempt was ended.
  const isAway = error instanceof RepoUnavailable || error instanceof ForgeUnavailable;
  if (isAway && scope.signal.aborted) return abortedEnd(scope);
  const problem = plainText(errorMessage(error), 500);
  // An outage says nothing about the work.
  const outcome = error instanceof OutageGivenUp || error instanceof RepoUnavailable ? "stopped" : "failed";
  return { outcome, evidence: { step: "worktree", name: "engine", summary: problem, detail: "" } };
}

async function attempt(
  ctx: LoopContext,
  scope: AttemptScope,
  repo: Repo,
  tree: { path: string; branch: string },
): Promise<AttemptEnd> {
  // The engine may have been lost before it made that branch.
  await keepSetAside(ctx, scope.ticket.id, repo);
  const pendingWork = await workToContinue(ctx.state(), repo, scope.ticket.id);
  const continued = pendingWork ?? (await look(ctx, scope, repo));
  const fresh = continued === undefined ? beginWorktree(ctx, scope, repo, tree) : undefined;
  const made = fresh?.catch(() => undefined);
  const files = await persistBegin(ctx, scope, "disk", () => ctx.files.attempt(scope.ticket.id, scope.n)).catch(
    async (error: unknown): Promise<never> => {
      // An incomplete worktree could not be removed.
      await made;
      throw error;
    },
  );
  const open: OpenAttempt = { ...scope, files, retried: new Set(), announce: createAnnouncer(ctx, scope) };
  if (continued?.landed !== undefined && (await repo.contains(continued.landed.to)))
    return finishLanded(ctx, open, continued.landed, { gated: continued.humanStep !== undefined });
  if (continued !== undefined && (await repo.has(continued.tip))) {
    const { baseSha, tip, humanStep } = continued;
    ctx.report({ type: "worktree-ready", ticket: scope.ticket.id, fence: scope.fence, ...tree, baseSha, continues: true });
    const change = await repo.change({ from: baseSha, tip });
    return finishFrom(ctx, open, { baseSha, change, humanStep });
  }
  const begin = await (fresh ?? beginWorktree(ctx, scope, repo, tree));
  return attemptFrom(ctx, open, repo, { ...tree, ...begin });
}

/** A worktree at its path, on the ticket's branch. */
type Worktree = WorktreeStart & { readonly path: string; readonly branch: string };

/** Prepares a fresh worktree, runs fixers or the agent there, and takes their change through the finish line. */
async function attemptFrom(ctx: LoopContext, open: OpenAttempt, repo: Repo, worktree: Worktree): Promise<AttemptEnd> {
  const { files, ticket } = open;
  const isSplit = ticketById(ctx.state(), ticket.id).due?.action === "split";
  const { baseSha, startsAt = baseSha, ...tree } = worktree;
  const tools = await ctx.harness.tools(ticket.repo);
  const patch = await lastPatch(ctx, open);
  const prompt = await writeAttemptPrompt(ctx, open, { tools, patch, startsAt: worktree.startsAt });
  await persistBegin(ctx, open, "disk", () => ctx.files.write(files.prompt, prompt));
  const confined = await confineAgent(ctx, repo, open, { ...tree, tools, patch });
  const zones = { path: tree.path, commit: baseSha, bound: readOnlyBound(ctx, ticket) };
  const confinement = await withReadOnlyZones(confined, repo, zones);
  const prepareIn = opened(ctx, confinement, "prepare", { isTold: true, hasHeaders: true });
  const toPrepare = { cwd: tree.path, commit: startsAt, base: baseSha, confinement: prepareIn };
  const prepared = await prepareWorktree(ctx, open, repo, toPrepare);
  // Only a base that cannot be prepared costs no attempt.
  if (prepared !== undefined) return { outcome: startsAt === baseSha ? "stopped" : "failed", evidence: prepared };
  const run = () => runAgent(ctx, open, worktree, opened(ctx, confinement, "agent", { isTold: true }));
  if (isToPlan(ctx, open)) return planFirst(ctx, open, repo, { baseSha, run });
  const begun = ctx.clock.ran();
  const fixed = await runFixers(ctx, open, repo, { ...tree, baseSha, begun, confinement: prepareIn });
  if (fixed !== undefined) {
    // Their commit is where the engine left the branch, and no agent's end tells it.
    ctx.report({ type: "worktree-ready", ticket: ticket.id, fence: open.fence, ...worktree, startsAt: fixed.tip });
    return finishFrom(ctx, open, { baseSha, change: fixed });
  }
  const result = await run();
  const cut = cutShort(open, result);
  if (cut !== undefined) return cut;
  await ctx.starts.over();
  const agents = await captureWork(ctx, open, repo, { ...tree, from: baseSha, begun });
  const { change, layout } = await repairLayout(ctx, open, repo, { ...tree, baseSha, begun, confinement: prepareIn }, agents);
  const claims = await readClaims(ctx, open, repo, { baseSha, change, isSplit });
  if (claims.end === undefined) return finishFrom(ctx, open, { baseSha, change, layout, ...claims });
  if (claims.end.outcome === "failed" && !isSplit) await keepPatch(ctx, repo, { from: baseSha, change, patch: files.patch });
  return { ...claims.end, tip: change.tip };
}

/** Runs the finish line; keeps the change for the next attempt if it fails. With a human step it ends at the landing. */
async function finishFrom(
  ctx: LoopContext,
  open: OpenAttempt,
  {
    baseSha,
    change,
    humanStep,
    layout,
  }: { baseSha: string; change: Change; humanStep?: string; layout?: LayoutRepair | undefined },
): Promise<AttemptEnd> {
  const ref = { ticket: open.ticket.id, fence: open.fence };
  const { paths } = change;
  const captured = { ...capturedFact(change), reflected: reflectChange(change) };
  const ruling = await complexityRuling(ctx, open, { from: baseSha, change });
  if (!ctx.report({ type: "change-captured", ...ref, ...captured, layout })) return { outcome: "stopped" };
  reportRelevance(ctx, open, change);
  if (ruling !== undefined) reportComplexity(ctx, open, ruling);
  if (humanStep !== undefined && paths.length === 0) return { outcome: "gated" };
  // Nothing is left to change about what landed: its live check is repeated.
  if (paths.length === 0 && ticketById(ctx.state(), open.ticket.id).live !== undefined) return { outcome: "landed" };
  const finish = () => runFinishLine(ctx, open, change, { gated: humanStep !== undefined });
  const repo = ticketRepo(ctx, open.ticket);
  const failed = async (error: unknown): Promise<AttemptEnd> => endFromError(open, await captureFault(repo, baseSha, error));
  const end = keptOut(ctx, open, change) ?? (await finish().catch(failed));
  if (end.outcome === "failed") await keepPatch(ctx, repo, { from: baseSha, change, patch: open.files.patch });
  return end;
}

/**
 * An attempt at a branch of which no failed check is known changes nothing: it reads them, and they may pass already. Nor does any attempt
 * if nothing is to be changed.
 */
async function look(
  { branchChecks, state }: LoopContext,
  { ticket }: AttemptScope,
  repo: Repo,
): Promise<PendingWork | undefined> {
  const target = branchChecks.get(repo.id);
  if (target === undefined || (target.canChange && hasFailedChecks(ticketById(state(), ticket.id)))) return undefined;
  const tip = await repo.baseTip();
  return { tip, baseSha: tip, claimed: false };
}

function hasFailedChecks({ pullRequest }: TicketState): boolean {
  return pullRequest?.seen?.checks.some(({ state }) => state === "failed") === true;
}

/** The class of a captured change; undefined if the batch asks for none, or if nothing is changed. Reads its lines if they can change its class. */
async function complexityRuling(
  ctx: LoopContext,
  { ticket }: Pick<OpenAttempt, "ticket">,
  { from, change }: { readonly from: string; readonly change: Change },
): Promise<ComplexityRuling | undefined> {
  if (ticketById(ctx.state(), ticket.id).complexity === undefined) return undefined;
  const { bounds = {} } = ctx.batch;
  const zones = Object.hasOwn(bounds, ticket.repo) ? (bounds[ticket.repo]?.zones ?? []) : [];
  const byCount = complexityOfChange(change, zones);
  if (byCount.class === "architectural" || change.paths.length === 0) return byCount;
  const except = uncountedFiles(change);
  const { diff, whole } = await ticketRepo(ctx, ticket).changedLines({ from, tip: change.tip, names: ["*"], except });
  return complexityOfChange({ ...change, hiddenLines: whole ? hiddenLines(diff) : "unknown" }, zones);
}

/** The paths without lines to count. Git would leave out what is below them, too, if a folder takes the place of a file. */
function uncountedFiles({ paths, uncounted = [] }: Change): readonly string[] {
  return uncounted.filter((file) => !paths.some(({ path }) => path.startsWith(`${file}/`)));
}

/** Moves a ticket up to the class of its change, before its finish line begins: the class decides what that asks for. */
function reportComplexity(
  ctx: Pick<LoopContext, "state" | "report">,
  { ticket, fence }: Pick<OpenAttempt, "ticket" | "fence">,
  { class: to, why }: ComplexityRuling,
): void {
  const { complexity: before } = ticketById(ctx.state(), ticket.id);
  if (before === undefined || !isHarder(to, before.class)) return;
  ctx.report({ type: "complexity-changed", ticket: ticket.id, fence, from: before.class, to, why });
}
