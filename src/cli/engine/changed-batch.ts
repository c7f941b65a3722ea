import { addedFacts, isWaiver } from "../../domain/run/added-ticket.ts";
import { type BatchChanges, compareBatch, isLoosening } from "../../domain/run/batch-changes.ts";
import type { RunEvent, RunFact } from "../../domain/run/event.ts";
import { refrozen } from "../../domain/run/frozen-set.ts";
import type { GrowthFact } from "../../domain/run/growth-fact.ts";
import { reduce } from "../../domain/run/reduce.ts";
import { reduceGrowth } from "../../domain/run/reduce-start.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { firstFewLine, plural } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { RunRow, RunStore } from "../../ports/run-store.ts";
import { stateFromJournal } from "./journal-state.ts";
import type { LoadedBatch } from "./load-batch.ts";
import type { OpenRun } from "./open-run.ts";

/** Changed settings that a refusal names. */
const MOST_NAMED = 6;

const CHANGED = "the batch file was changed since the run began: ";

const OR_FRESH = "or give the run up and start again with --fresh.";
const LEAVE = " A ticket that no agent should work on stays in the file: g in the dashboard leaves it to you.";
/** The batch holds where a secret comes from, and a run reads the value there anew. */
const NEW_VALUE = " A new value of a secret needs no change: put it where the file says that it comes from.";

/**
 * The changes of a batch file since its unfinished run began; undefined if there are none. Throws a UserError (exit 4) that names
 * them if no run can make them, or if a person has not accepted them: new tickets, and everything that loosens a bound (law 9).
 */
export async function changesSince({
  loaded,
  row,
  store,
  acceptChanges,
}: {
  readonly loaded: LoadedBatch;
  readonly row: RunRow;
  readonly store: RunStore;
  readonly acceptChanges: "additions" | "all" | undefined;
}): Promise<BatchChanges | undefined> {
  const state = stateFromJournal(store.openForReading(row.run), row.run);
  // A change that a person had accepted and then undone is one more change.
  if (loaded.sha === row.batchFileSha && state.isBatchChanged !== true) return undefined;
  const { batch } = await loaded.withFrozen(state.batch);
  const changes = compareBatch(state, batch);
  const { impossible, bounds, added } = changes;
  if (impossible.length > 0) {
    const rotated = impossible.some((path) => /^secrets\b/.test(path)) ? NEW_VALUE : "";
    const isRemoved = state.batch.tickets.some(({ id }) => !batch.tickets.some((each) => each.id === id));
    throw refusal(row.run, impossible, `Undo the change to continue the run, ${OR_FRESH}${rotated}${isRemoved ? LEAVE : ""}`);
  }
  const loosened = bounds.filter(isLoosening).map(({ what }) => what);
  const tickets = added.map(({ id }) => `ticket ${id} is new`);
  if (loosened.length > 0 && acceptChanges !== "all") {
    const todo = `Undo the change, accept it with --accept-changes (it is counted as an intervention), ${OR_FRESH}`;
    throw refusal(row.run, [...loosened, ...tickets], todo);
  }
  if (added.length > 0 && acceptChanges === undefined) {
    const offer = `Add ${plural(added.length, "new ticket")} of the batch file to the run ${row.run} (${named(added.map(({ id }) => id))})?`;
    throw refusal(row.run, tickets, `Add what is new with --accept-changes, undo the change, ${OR_FRESH}`, offer);
  }
  return changes;
}

function refusal(run: RunId, what: readonly string[], todo: string, offer?: string): UserError {
  return new UserError({
    what: `the unfinished run ${run} cannot continue`,
    why: `${CHANGED}${named(what)}`,
    todo,
    exitCode: EXIT.refused,
    offer,
  });
}

function named(items: readonly string[]): string {
  return firstFewLine(items, MOST_NAMED);
}

/**
 * Makes the changes part of the run, in its journal, before anything is done in it. If it is cut off, the same changes are found
 * again by the next start, without those that are in the journal.
 */
export function applyChanges(open: OpenRun, changes: BatchChanges): OpenRun {
  let { state } = open;
  const changed: RunEvent[] = [];
  const take = (facts: readonly RunFact[]): void => {
    for (const fact of facts) {
      const event = open.journal.append(fact);
      state = reduce(state, event);
      changed.push(event);
    }
  };
  take(
    changes.bounds.map(({ class: kind, target, what }): RunFact => ({ type: "intervention", class: kind, target, note: what })),
  );
  take(boundsFacts(open.run, state, changes));
  const added = changes.added.map((ticket) => ({
    ticket: { ...ticket, added: true as const },
    isWaiver: isWaiver(state, ticket),
  }));
  take(addedFacts(added));
  take(workersFacts(state, changes));
  return { ...open, state, changed };
}

function boundsFacts(run: RunId, state: RunState, { parts }: BatchChanges): readonly RunFact[] {
  if (Object.keys(parts).length === 0) return [];
  const { frozen: before } = state;
  if (before === undefined) throw new Error(`the run ${run} has no frozen set`);
  const fact = { type: "batch-changed", ...parts, frozen: { before, after: before } } satisfies GrowthFact;
  const { batch } = reduceGrowth(state, { ...fact, seq: state.seq, at: state.lastEventAt });
  return [{ ...fact, frozen: { before, after: refrozen(before, { batch, batchSha: state.batchSha }) } }];
}

function workersFacts(state: RunState, { workers }: BatchChanges): readonly RunFact[] {
  if (workers === undefined) return [];
  const note = `${state.workers} before, ${workers} from now on`;
  return [
    { type: "intervention", class: "I2", target: "workers", note },
    { type: "workers-set", workers },
  ];
}
