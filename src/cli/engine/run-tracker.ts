import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createEmbeddedTracker, seedEmbeddedTracker } from "../../adapters/tracker/embedded.ts";
import { createFolderTracker } from "../../adapters/tracker/folder.ts";
import { createServiceTracker } from "../../adapters/tracker/service/service-tracker.ts";
import type { TicketService } from "../../adapters/tracker/service/ticket-service.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { localTicketFolder } from "../../domain/batch/tracker-spec.ts";
import type { RunId, TicketId } from "../../domain/values/ids.ts";
import type { AskedPlace, TrackerPlace } from "../../ports/oracle.ts";
import type { Tracker } from "../../ports/tracker.ts";
import { packageFiles } from "../package-files.ts";
import { tampered } from "./journal-state.ts";
import type { LoadedBatch } from "./load-batch.ts";
import type { OutsideTracker } from "./outside-tracker.ts";

/**
 * Characters of inline tickets up to which the engine reads their tracker without a thread: 1 ms of its event loop at most, measured
 * on two busy cores. The thread takes 22 MB of memory.
 */
const MOST_WITHOUT_THREAD = 32_000;

/** A tracker that is no file of this machine, with the place that the oracle reads, as it was frozen with the run. */
export interface FrozenTracker extends Pick<OutsideTracker, "serviceOf" | "watch"> {
  readonly place: AskedPlace;
}

/** The tracker of a run. */
export interface RunTracker {
  readonly tracker: Tracker;
  /** The same tracker in the oracle's terms. */
  readonly place: TrackerPlace;
  /** Fills a tracker that the run keeps by itself. */
  readonly seed: () => Promise<void>;
  /** The service's keys of tickets that were found since the place was frozen; absent if it has none. */
  readonly keys?: TicketService["keys"];
}

/** Freezes the place that the oracle reads for these tickets. Undefined if the tracker is files of this machine. */
export async function freezeTracker(
  { outside }: Pick<LoadedBatch, "outside">,
  tickets: readonly TicketId[],
): Promise<FrozenTracker | undefined> {
  return outside && { ...outside, place: await outside.freeze(tickets) };
}

/**
 * The tracker of a batch. `found` are the discovered tickets that it holds, `folder` is that of the run, and `frozen` is needed for a
 * tracker that is no file of this machine.
 */
export function trackerOf(
  batch: Batch,
  folder: string,
  { found = [], frozen }: { readonly found?: readonly TicketId[]; readonly frozen?: FrozenTracker | undefined } = {},
): RunTracker {
  const own = batch.tickets.map((ticket) => ticket.id);
  const ids = [...own, ...found];
  const path = localTicketFolder(batch.tracker);
  const thread = { program: packageFiles().main, args: ["__tracker"] };
  const seed = () => Promise.resolve();
  if (frozen !== undefined) {
    const { service, tickets: read } = frozen.serviceOf(own, frozen.place);
    return {
      tracker: createServiceTracker({ service, ids, read, watch: frozen.watch }),
      place: frozen.place,
      seed,
      keys: service.keys,
    };
  }
  if (path !== undefined)
    return { tracker: createFolderTracker({ folder: path, ids, thread }), place: { kind: "folder", folder: path }, seed };
  const file = join(folder, "tracker.json");
  return {
    tracker: createEmbeddedTracker({
      file,
      ids,
      thread: JSON.stringify(batch.tickets).length > MOST_WITHOUT_THREAD ? thread : undefined,
    }),
    place: { kind: "embedded", file },
    seed: () => seedEmbeddedTracker(file, batch.tickets),
  };
}

/** The file in which a run keeps the frozen place. */
const PLACE = "tracker-place.json";

/** Writes the frozen place into the folder of the run. */
export async function writeFrozenPlace(folder: string, { place }: FrozenTracker): Promise<void> {
  await writeFile(join(folder, PLACE), JSON.stringify(place), { mode: 0o600 });
}

/**
 * The tracker with the place that the run froze. The hash of the run's batch tells whether it is still that one. Throws a UserError
 * (exit 3) if it cannot be read.
 */
export async function readFrozenTracker(
  outside: OutsideTracker,
  { folder, run, tickets }: { readonly folder: string; readonly run: RunId; readonly tickets: readonly TicketId[] },
): Promise<FrozenTracker> {
  try {
    const kept = JSON.parse(await readFile(join(folder, PLACE), "utf8")) as AskedPlace;
    return { ...outside, place: hashedPart(kept, tickets) };
  } catch (cause) {
    throw tampered(run, "the frozen place of its tracker cannot be read", cause);
  }
}

/** The part of a place that the hash of the batch covers: no key of another ticket, and no file in the service's place. */
function hashedPart(place: AskedPlace, tickets: readonly TicketId[]): AskedPlace {
  if (place.kind === "command") return { kind: place.kind, program: place.program, folder: place.folder };
  const { kind, canceled, keys, repos, repoIds } = place;
  const own = tickets.flatMap((id) => (Object.hasOwn(keys, id) ? [[id, keys[id]]] : []));
  return { kind, canceled, keys: Object.fromEntries(own), repos, repoIds };
}
