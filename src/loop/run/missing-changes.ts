import { nextBranchMove } from "../../domain/ci/branch-move.ts";
import { failedBefore } from "../../domain/ci/ci-fact.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { repoLandings } from "../../domain/run/reduce-base.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import { endOfTime } from "../../domain/schedule/run-time.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import type { BranchChecks } from "../../ports/branch-checks.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { LoopContext } from "../attempt/context.ts";
import { pause } from "../concurrency/wait.ts";
import { haveOthersCommitted, type LandedChange, whyGone } from "../programs/landed-change.ts";
import { persistentRepo } from "../programs/persistent-repo.ts";
import { ask } from "../steps/pull-request-scope.ts";

/** The longest wait for checks that run again, if the batch sets no end of the run: that of `loopdash ci` by default. Milliseconds. */
const LONGEST_WAIT_MS = 3_600_000;

/** The evidence of failures, by ticket. */
export type Broken = Map<TicketId, Evidence>;

/** The tickets whose landed change a base does not hold any more, on this machine or at its forge. */
export async function missing(ctx: LoopContext, done: readonly TicketState[], signal: AbortSignal): Promise<Broken> {
  const broken: Broken = new Map();
  for (const [id, repo] of ctx.repos) {
    const mine = done.filter((ticket) => plannedTicket(ctx.state().plan, ticket.id).repo === id);
    if (mine.length === 0) continue;
    const persistent = persistentRepo(repo, ctx.outages, signal);
    const [here, there] = [await missingHere(ctx, persistent, mine), await missingAtForge(persistent, mine)];
    for (const [ticket, summary] of [...there, ...here])
      broken.set(ticket, { step: "merge", name: "merge", summary, detail: "" });
  }
  return broken;
}

/**
 * The tickets of branches whose checks do not pass any more, or that have moved to a commit that was not checked. Checks that run again have not
 * failed: it waits for them until the time of the run is over, and an hour if that has no end. Those that still run then are not known to pass.
 */
export async function notGreen(ctx: LoopContext, done: readonly TicketState[], signal: AbortSignal): Promise<Broken> {
  const broken: Broken = new Map();
  for (const ticket of done) {
    const target = ctx.branchChecks.get(plannedTicket(ctx.state().plan, ticket.id).repo);
    if (target === undefined) continue;
    const why = await whyNotGreen(ctx, ticket, { checks: target.checks, signal });
    if (why === undefined) continue;
    const summary = `${(ticket.mergedSha ?? "").slice(0, 7)}: ${why}`;
    broken.set(ticket.id, { step: "merge", name: "checks", summary, detail: "" });
  }
  return broken;
}

async function whyNotGreen(
  ctx: LoopContext,
  { id: ticket, mergedSha = "", ci }: TicketState,
  { checks, signal }: { readonly checks: BranchChecks; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const since = ctx.clock.now();
  const until = endOfTime(ctx.state()) ?? since + LONGEST_WAIT_MS;
  let told: string | undefined;
  for (;;) {
    const reading = await ask(ctx, { signal }, () => checks.read(signal));
    const own = { head: mergedSha, since: 0, appearMs: 0, expected: failedBefore(ci) };
    const move = nextBranchMove(reading, own, ctx.clock.now());
    if (move.do === "green") return undefined;
    if (move.do === "rebuild") return "the branch has moved since its checks passed";
    if (move.do === "stop") return move.why;
    if (move.do === "fix") return "its checks do not pass any more";
    const now = ctx.clock.now();
    if (now >= until) return `its checks run again and have not ended in time: ${move.why}`;
    if (told !== move.why) ctx.report({ type: "reverify-waits", ticket, why: move.why, until });
    told = move.why;
    await pause(ctx.clock, Math.min(checks.pauseMs(now - since), until - now), signal);
    signal.throwIfAborted();
  }
}

/** Why the base does not hold a change, by ticket. */
type Reasons = ReadonlyMap<TicketId, string>;

async function missingHere(ctx: LoopContext, repo: Repo, done: readonly TicketState[]): Promise<Reasons> {
  const reasons = new Map<TicketId, string>();
  const lost = await repo.missingFromBase(done.map((ticket) => findLandedChange(ticket).sha));
  const first = repoLandings(ctx.state(), repo.id)?.first;
  const isTouched = lost.length > 0 || first === undefined || (await haveOthersCommitted(ctx.state(), repo, first));
  // What an earlier run landed may have been reverted before this run's first landing.
  for (const ticket of isTouched ? done : done.filter(({ mergedSha }) => mergedSha === undefined)) {
    const reason = await whyGone(ctx.state(), repo, findLandedChange(ticket));
    if (reason !== undefined) reasons.set(ticket.id, reason);
  }
  return reasons;
}

/** Why the forge's base does not hold a change: somebody has moved it back there, and the base of this machine does not follow. */
async function missingAtForge(repo: Repo, done: readonly TicketState[]): Promise<Reasons> {
  const shas = new Map(done.map((ticket) => [ticket.id, findLandedChange(ticket).sha]));
  const lost = new Set(await repo.missingAtForge?.([...shas.values()]));
  const gone = `in ${repo.base} of this machine and no longer at its remote: somebody has moved it back there`;
  return new Map([...shas].flatMap(([id, sha]) => (lost.has(sha) ? [[id, `${sha.slice(0, 7)} is ${gone}`]] : [])));
}

/** The change of a ticket that this run landed, or an earlier one. */
function findLandedChange({ mergedSha, mergedFrom, landedEarlier }: TicketState): LandedChange {
  if (mergedSha === undefined && landedEarlier !== undefined) return landedEarlier;
  return { sha: mergedSha ?? "", from: mergedFrom };
}
