import { createFolderTracker } from "../../adapters/tracker/folder.ts";
import { createServiceTracker } from "../../adapters/tracker/service/service-tracker.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { isKeptOutside, localTicketFolder } from "../../domain/batch/tracker-spec.ts";
import { joinedTickets, withEarlier } from "../../domain/outbox/discovery.ts";
import { carriedOverWork, isReopenedSince, landingsUpTo } from "../../domain/run/carry-over.ts";
import type { CarriedOverWork, ReopenedBefore } from "../../domain/run/event.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import type { RunId, TicketId } from "../../domain/values/ids.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { filedTicket } from "../../loop/attempt/discoveries.ts";
import { holdsLanding } from "../../loop/programs/landed-change.ts";
import type { RunRow, RunStore } from "../../ports/run-store.ts";
import type { Tracker, TrackerTicket } from "../../ports/tracker.ts";
import type { Repo } from "../../ports/vcs.ts";
import { hasBegun, stateFromJournal } from "./journal-state.ts";
import type { OutsideTracker } from "./outside-tracker.ts";
import type { RunEnvironment } from "./preflight.ts";

/** The newest run of a batch file that has begun, except `but`. */
export function lastRun(store: RunStore, batchPath: string, but?: RunId): RunRow | undefined {
  const earlier = store.list().filter((row) => row.batchPath === batchPath && row.run !== but);
  return earlier.find((row) => hasBegun(store, row.run));
}

/** The last run of a batch if a new run continues from it: it ended without being done, or the new one checks what it landed. */
export function runToContinue(
  store: RunStore,
  { batchPath, run, checksOnly }: { readonly batchPath: string; readonly run: RunId; readonly checksOnly: boolean },
): RunState | undefined {
  const last = lastRun(store, batchPath, run);
  if (last?.verdict === undefined || (last.verdict === "done" && !checksOnly)) return undefined;
  return stateFromJournal(store.openForReading(last.run), last.run);
}

/**
 * The previous run of a batch, however it ended, for the landings that it knows. `last` is its state if it has been read already.
 * If its record cannot be read, a warning says so, and no landings of earlier runs are known.
 */
export function previousRun(
  store: RunStore,
  { batchPath, run }: { readonly batchPath: string; readonly run: RunId },
  last: RunState | undefined,
): RunState | undefined {
  if (last !== undefined) return last;
  const row = lastRun(store, batchPath, run);
  if (row === undefined) return undefined;
  try {
    return stateFromJournal(store.openForReading(row.run), row.run);
  } catch (error) {
    process.emitWarning(`the commits of earlier runs are not known: ${errorMessage(error)}`);
    return undefined;
  }
}

/**
 * The tickets of a folder that a person has reopened since an earlier run landed them. If the base no longer holds the change, or
 * its landing is carried over, there is nothing to tell of it.
 */
export async function findReopened({
  earlier,
  tickets,
  batch,
  world,
  carriedOver,
}: {
  readonly earlier: RunState | undefined;
  readonly tickets: readonly TrackerTicket[];
  readonly batch: Batch;
  readonly world: RunEnvironment;
  readonly carriedOver: readonly CarriedOverWork[];
}): Promise<readonly ReopenedBefore[]> {
  if (earlier === undefined || !isKeptOutside(batch.tracker)) return [];
  const landings = landingsUpTo(earlier);
  const repoOf = new Map(batch.tickets.map(({ id, repo }) => [id, world.repos.get(repo)]));
  const known = new Set(carriedOver.flatMap(({ id, landed }) => (landed === undefined ? [] : [id])));
  const reopened: ReopenedBefore[] = [];
  for (const { id, state } of tickets) {
    const [landedEarlier, repo] = [landings.get(id), repoOf.get(id)];
    if (state.as !== "open" || landedEarlier === undefined || repo === undefined || known.has(id)) continue;
    if (isReopenedSince(earlier, id) && (await holdsLanding(repo, landedEarlier))) reopened.push({ id, landedEarlier });
  }
  return reopened;
}

/**
 * The batch of a new run: the file's tickets, then those that workers found in the previous run, done or not. They are frozen
 * with it. A ticket folder holds them too unless someone removed them; the ones that the previous run could not file are filed
 * now. Tickets that cannot come along are reported. Throws a UserError if the folder cannot be read or written.
 */
export async function withJoinedTickets(batch: Batch, last: RunState, outside?: OutsideTracker): Promise<Batch> {
  const tracker = trackerOutside(batch, outside);
  const there = tracker === undefined ? undefined : await heldIn(tracker, batch, last);
  const grown = withEarlier(batch, last, (id) => there?.has(id) ?? true);
  const known = new Set<TicketId>(grown.tickets.map((ticket) => ticket.id));
  const left = joinedTickets(last).filter((ticket) => !known.has(ticket.id));
  if (left.length > 0) {
    const ids = left.map((ticket) => ticket.id).join(", ");
    process.emitWarning(`left out tickets that run ${last.run} found, because their repository or ticket is missing: ${ids}`);
  }
  return grown;
}

/** The tracker in which people keep the tickets, with none of them in its batch yet. */
function trackerOutside({ tracker, tickets }: Batch, outside: OutsideTracker | undefined): Tracker | undefined {
  if (outside !== undefined)
    return createServiceTracker({ service: outside.serviceOf(tickets.map(({ id }) => id)).service, ids: [] });
  const folder = localTicketFolder(tracker);
  return folder === undefined ? undefined : createFolderTracker({ folder, ids: [] });
}

/** The names in a tracker, after filing the tickets that the last run announced but did not file. */
async function heldIn(tracker: Tracker, batch: Batch, last: RunState): Promise<ReadonlySet<string>> {
  const found = withEarlier(batch, last, () => true).tickets.slice(batch.tickets.length);
  for (const { id } of found) if (ticketById(last, id).unfiled === true) await tracker.file(filedTicket(last, id));
  return new Set(await tracker.taken());
}

/**
 * An embedded tracker lives under its run. A new run of a batch whose last run was not done continues from that one: tickets that
 * it shipped, if their commit is still in the base, and tickets that it left to a person are settled here too. `left` is the work
 * that came along for open tickets.
 */
export async function settleCarriedOver(options: {
  readonly last: RunState;
  readonly batch: Batch;
  readonly world: RunEnvironment;
  readonly tracker: Tracker;
  readonly left: readonly CarriedOverWork[];
}): Promise<void> {
  const { last, tracker, world } = options;
  const landedOnly = new Set(options.left.flatMap(({ id, landed }) => (landed === undefined ? [] : [id])));
  const known = new Map(options.batch.tickets.map((ticket) => [ticket.id, ticket]));
  for (const before of vecItems(last.tickets)) {
    const ticket = known.get(before.id);
    if (ticket === undefined) continue;
    const note = `carried over from run ${last.run}`;
    if (before.phase === "human-gated" && before.humanStep !== undefined) {
      await tracker.set(before.id, { as: "human-gated", step: before.humanStep }, note);
    }
    const repo = world.repos.get(ticket.repo);
    // If only the tracker update after the landing failed, the ticket is otherwise done.
    const needsOnlyAssert = before.phase === "stalled" && before.evidence.at(-1)?.step === "assert" && landedOnly.has(before.id);
    const sha = before.phase === "done" || needsOnlyAssert ? (before.mergedSha ?? before.landedEarlier?.sha) : undefined;
    if (sha !== undefined && (await repo?.contains(sha)))
      await tracker.set(before.id, { as: "done" }, `${note}, landed as ${sha}`);
  }
}

/**
 * The last run's work on open tickets (`carriedOverWork`). Landed work comes along only if the base still holds all of it: if a
 * person reverted it, another agent starts over.
 */
export async function findCarriedOverWork({
  last,
  batch,
  world,
}: {
  last: RunState;
  batch: Batch;
  world: RunEnvironment;
}): Promise<CarriedOverWork[]> {
  const repoOf = new Map(batch.tickets.map(({ id, repo }) => [id, world.repos.get(repo)]));
  const left: CarriedOverWork[] = [];
  for (const work of carriedOverWork(last, batch)) if (await isStillInBase(repoOf.get(work.id), work)) left.push(work);
  return left;
}

/**
 * Work that is not live comes along unless a person has reverted it. If it can no longer be merged at all, later changes are in the
 * way, and its live check tells more.
 */
async function isStillInBase(repo: Repo | undefined, work: CarriedOverWork): Promise<boolean> {
  const { landed, live, tip } = work;
  if (landed === undefined) return true;
  if (live === undefined) return holds(repo, work, landed);
  if (repo === undefined || !(await repo.contains(landed.to))) return false;
  if (!(await repo.has(tip)) || !(await repo.candidate({ tip, message: "what has landed, once more" })).ok) return true;
  return holds(repo, work, landed);
}

/** True if the base contains the landing, and merging the change again would change nothing. */
async function holds(
  repo: Repo | undefined,
  { tip }: CarriedOverWork,
  { to }: NonNullable<CarriedOverWork["landed"]>,
): Promise<boolean> {
  if (repo === undefined || !(await repo.contains(to)) || !(await repo.has(tip))) return false;
  const again = await repo.candidate({ tip, message: "what has landed, once more" });
  return again.ok && (await repo.change({ from: again.base, tip: again.commit })).paths.length === 0;
}
