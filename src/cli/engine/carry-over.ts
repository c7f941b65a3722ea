import { createFolderTracker } from "../../adapters/tracker/folder.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { discoveredTickets, withEarlier } from "../../domain/outbox/discovery.ts";
import { carriedOverWork } from "../../domain/run/carry-over.ts";
import type { CarriedOverWork } from "../../domain/run/event.ts";
import { type RunState, ticketOf } from "../../domain/run/state.ts";
import type { RunId, TicketId } from "../../domain/values/ids.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { filedTicket } from "../../loop/attempt/discoveries.ts";
import type { RunRow, RunStore } from "../../ports/run-store.ts";
import type { Tracker } from "../../ports/tracker.ts";
import type { Repo } from "../../ports/vcs.ts";
import { hasBegun, stateFromJournal } from "./journal-state.ts";
import type { RunEnvironment } from "./preflight.ts";

/** The newest run of a batch file that has begun, `but` this one. */
export function lastRun(store: RunStore, batchPath: string, but?: RunId): RunRow | undefined {
  const earlier = store.list().filter((row) => row.batchPath === batchPath && row.run !== but);
  return earlier.find((row) => hasBegun(store, row.run));
}

/** The last run of a batch where it ended not done: a new one goes on where that one stopped. */
export function stoppedShort(
  store: RunStore,
  { batchPath, run }: { readonly batchPath: string; readonly run: RunId },
): RunState | undefined {
  const last = lastRun(store, batchPath, run);
  if (last === undefined || last.verdict === undefined || last.verdict === "done") return undefined;
  return stateFromJournal(store.openForReading(last.run), last.run);
}

/**
 * The batch of a new run: the file's, and after it the tickets that workers found in the run before, done or not. They are frozen with
 * it. A ticket folder holds them too, unless somebody took them out; what that run could not file is filed in it now. What cannot
 * come along is told. Throws a UserError where the folder cannot be read or written.
 */
export async function withDiscoveries(batch: Batch, last: RunState): Promise<Batch> {
  const there = batch.tracker.path === undefined ? undefined : await heldIn(batch.tracker.path, batch, last);
  const grown = withEarlier(batch, last, (id) => there?.has(id) ?? true);
  const known = new Set<TicketId>(grown.tickets.map((ticket) => ticket.id));
  const left = discoveredTickets(last).filter((ticket) => !known.has(ticket.id));
  if (left.length > 0) {
    const ids = left.map((ticket) => ticket.id).join(", ");
    process.emitWarning(`found in run ${last.run} and not taken along, for repository or ticket file are gone: ${ids}`);
  }
  return grown;
}

/** The names in a ticket folder, once it holds what the last run announced and did not come to file. */
async function heldIn(folder: string, batch: Batch, last: RunState): Promise<ReadonlySet<string>> {
  const tracker = createFolderTracker({ folder, ids: [] });
  const found = withEarlier(batch, last, () => true).tickets.slice(batch.tickets.length);
  for (const { id } of found) if (ticketOf(last, id).unfiled === true) await tracker.file(filedTicket(last, id));
  return new Set(await tracker.taken());
}

/**
 * An embedded tracker lives under its run. A new run of a batch whose last run ended not done goes on where that one
 * left: tickets that it shipped, and whose commit is still in the base, and tickets that it left to a person, are
 * settled here too. `left` is what came along of those that are open.
 */
export async function carryOver(options: {
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
    // One whose tracker could not be told after it had landed is done but for that.
    const untold = before.phase === "stalled" && before.evidence.at(-1)?.step === "assert" && landedOnly.has(before.id);
    const landed = before.phase === "done" || untold;
    if (landed && before.mergedSha !== undefined && (await repo?.contains(before.mergedSha))) {
      await tracker.set(before.id, { as: "done" }, `${note}, landed as ${before.mergedSha}`);
    }
  }
}

/**
 * What agents of the last run have built of tickets that are open (`carriedOverWork`). What has landed comes along only where the base still
 * holds all of it: a person may have taken it back, and then another agent works.
 */
export async function leftBehind({
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
  for (const work of carriedOverWork(last, batch))
    if (work.landed === undefined || (await holds(repoOf.get(work.id), work, work.landed))) left.push(work);
  return left;
}

/** Whether the base has the landing, and the change, merged once more, would change nothing. */
async function holds(
  repo: Repo | undefined,
  { tip }: CarriedOverWork,
  { to }: NonNullable<CarriedOverWork["landed"]>,
): Promise<boolean> {
  if (repo === undefined || !(await repo.contains(to)) || !(await repo.has(tip))) return false;
  const again = await repo.candidate({ tip, message: "what has landed, once more" });
  return again.ok && (await repo.change({ from: again.base, tip: again.commit })).paths.length === 0;
}
