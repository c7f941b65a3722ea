import type { RunId } from "../../domain/ids.ts";
import { vecItems } from "../../domain/vec.ts";
import type { RunStore } from "../../ports/run-store.ts";
import type { Tracker } from "../../ports/tracker.ts";
import type { World } from "./check-world.ts";
import type { LoadedBatch } from "./load-batch.ts";
import { hasBegun, replay } from "./replay.ts";

/**
 * An embedded tracker lives under its run. A new run of a batch whose last run ended not done goes on where that one
 * left: tickets that it shipped, and whose commit is still in the base, and tickets that it left to a person, are
 * settled here too. Returns how many.
 */
export async function carriedOver(of: {
  loaded: LoadedBatch;
  world: World;
  store: RunStore;
  run: RunId;
  tracker: Tracker;
}): Promise<number> {
  const { loaded, store, tracker, world } = of;
  const earlier = store.list().filter((row) => row.batchPath === loaded.path && row.run !== of.run);
  const last = earlier.find((row) => hasBegun(store, row.run));
  if (last === undefined || last.verdict === undefined || last.verdict === "done") return 0;
  const state = replay(store.openForReading(last.run), last.run);
  const known = new Map(loaded.batch.tickets.map((ticket) => [ticket.id, ticket]));
  let carried = 0;
  for (const before of vecItems(state.tickets)) {
    const ticket = known.get(before.id);
    if (ticket === undefined) continue;
    const note = `carried over from run ${last.run}`;
    if (before.phase === "human-gated" && before.humanStep !== undefined) {
      await tracker.set(before.id, { as: "human-gated", step: before.humanStep }, note);
      carried += 1;
    }
    const repo = world.repos.get(ticket.repo);
    // One whose tracker could not be told after it had landed is done but for that.
    const untold = before.phase === "stalled" && before.evidence.at(-1)?.step === "assert";
    const landed = before.phase === "done" || untold;
    if (landed && before.mergedSha !== undefined && (await repo?.contains(before.mergedSha))) {
      await tracker.set(before.id, { as: "done" }, `${note}, landed as ${before.mergedSha}`);
      carried += 1;
    }
  }
  return carried;
}
