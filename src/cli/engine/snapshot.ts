import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { numbersOf } from "../../domain/results/trend.ts";
import { isActivity, type RunEvent } from "../../domain/run/event.ts";
import type { RunState } from "../../domain/run/state.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { RunId } from "../../domain/values/ids.ts";
import type { Journal } from "../../ports/journal.ts";
import type { RunStore, Tally } from "../../ports/run-store.ts";
import { VERSION } from "../version.ts";

/** Events after which the state is kept anew: so many at most are read after it. */
const EVERY = 5_000;
/** Events that a new client is shown beside the state, and how far back they are looked for. */
export const RECENT = 200;
const LOOK_BACK = 2_000;
/**
 * Who has made a kept state: another version may reduce to another one. The bundle's files are named after what is in them and
 * in what they import.
 */
const MADE_BY = `${VERSION} ${basename(fileURLToPath(import.meta.url))}`;

/**
 * Keeps, as a run goes on, what those need who only look at it: its state every so often and at its end, and how far it is
 * whenever that has changed. What cannot be kept is told, and the run goes on: the journal is the record.
 */
export function keepForLooks({
  store,
  run,
  journal,
  onProblem,
}: {
  readonly run: RunId;
  readonly store: RunStore;
  readonly journal: Journal;
  readonly onProblem: (problem: string) => void;
}): (event: RunEvent, state: RunState) => void {
  let keptAt = 0;
  let told: Tally | undefined;
  const keep = (event: RunEvent, state: RunState): void => {
    const tally = tallyOf(state);
    const news = !sameTally(told, tally);
    // Before it is tried: what cannot be kept is not tried again at every event.
    told = tally;
    if (news) store.recordTally(run, tally);
    if (event.type === "run-ended") store.recordNumbers(run, numbersOf(state));
    if (state.seq - keptAt < EVERY && event.type !== "run-ended") return;
    keptAt = state.seq;
    journal.flush();
    keepState(store, state);
  };
  return (event, state) => {
    try {
      keep(event, state);
    } catch (error) {
      onProblem(`what shortens a look at the run was not kept: ${errorMessage(error)}`);
    }
  };
}

/** Keeps a state that its run's journal has made, for the next look. */
export function keepState(store: RunStore, state: RunState): void {
  store.keepState(state.run, { seq: state.seq, text: JSON.stringify({ by: MADE_BY, state }) });
}

/** The state that was kept of a run, where this program kept it and its journal still tells so. For looking only. */
export function keptStateOf(store: RunStore, run: RunId): RunState | undefined {
  const kept = store.keptState(run);
  if (kept === undefined) return undefined;
  const { by, state } = JSON.parse(kept.text) as { by?: unknown; state: RunState };
  return by === MADE_BY && state.run === run && state.seq === kept.seq ? state : undefined;
}

/** From where on a journal is read by whoever has its state at `seq` and wants to know what has happened lately. */
export function lookBackFrom(seq: number): number {
  return Math.max(0, seq - LOOK_BACK);
}

/** The last events of a run that goes on, oldest first: what a new client is shown beside the state. */
export function recentOf(journal: Journal, seq: number): RunEvent[] {
  return [...journal.read(lookBackFrom(seq))].filter((event) => !isActivity(event)).slice(-RECENT);
}

/** How far a run is. */
function tallyOf({ counts, end, interventions, plan }: RunState): Tally {
  const [done, gated] = [counts.done, counts["human-gated"]];
  const open = plan.tickets.length - done - gated;
  return { done, gated, open, interventions: interventions.length, stopped: end?.kind === "interrupted" };
}

function sameTally(a: Tally | undefined, b: Tally): boolean {
  return (
    a !== undefined &&
    a.done === b.done &&
    a.gated === b.gated &&
    a.open === b.open &&
    a.interventions === b.interventions &&
    a.stopped === b.stopped
  );
}
