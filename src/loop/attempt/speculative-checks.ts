import type { Candidate } from "../../ports/vcs.ts";
import type { QueueEntry } from "../concurrency/merge-queue.ts";
import { orAborted } from "../concurrency/wait.ts";
import type { Built } from "../steps/landing.ts";

/** Checks of a change on a base that does not exist yet. `R` is their result. */
export interface SpeculationOptions<R> {
  readonly place: QueueEntry;
  readonly signal: AbortSignal;
  /** Builds the candidate on a commit that is not the base's tip. */
  build(onto: string): Promise<Candidate>;
  /** Checks it and reports nothing; undefined if it cannot be checked now. The signal cancels it. */
  check(candidate: Built, signal: AbortSignal): Promise<R | undefined>;
  baseTip(): Promise<string>;
}

/** A candidate that was checked before its turn, on the commit that is now the base. */
export interface SpeculativeCheck<R> {
  readonly candidate: Built;
  readonly result: R;
}

/** A check on the commit that the previous entry is about to land. */
interface Guess<R> {
  readonly onto: string;
  readonly candidate: Built | undefined;
  readonly result: Promise<R | undefined>;
  /** Cancels it. Settles once none of its work is running any more. */
  readonly drop: () => Promise<void>;
}

/**
 * Waits for the turn. Meanwhile it checks the change on the commit that the previous entry is about to land, as speculative merge
 * queues do. If that commit lands, the result is about the very tree that lands next. If not, the result is discarded, whatever
 * it is. Throws the signal's reason if it is aborted. Once it settles, none of its work is running: an attempt's programs have
 * one marker, and an executor refuses to start two with it at a time.
 */
export async function checkSpeculatively<R>(needs: SpeculationOptions<R>): Promise<SpeculativeCheck<R> | undefined> {
  const { place, signal } = needs;
  let guess: Guess<R> | undefined;
  try {
    while (!place.isFirst) {
      const { changed, ahead } = place;
      if (guess !== undefined && guess.onto !== ahead) {
        const dropped = guess.drop();
        guess = undefined;
        // The next entry learns at once that this one lands nothing.
        place.plans(undefined);
        await dropped;
        continue;
      }
      if (guess === undefined && ahead !== undefined) guess = await begin(needs, ahead);
      await orAborted(changed, signal);
    }
    signal.throwIfAborted();
    if (guess === undefined) return undefined;
    if (guess.candidate === undefined || guess.onto !== (await needs.baseTip())) {
      place.plans(undefined);
      return undefined;
    }
    const result = await guess.result;
    return result === undefined ? undefined : { candidate: guess.candidate, result };
  } finally {
    await guess?.drop();
  }
}

async function begin<R>(needs: SpeculationOptions<R>, onto: string): Promise<Guess<R>> {
  // A conflict here says nothing about the change's own base. A conflict there is reported at its turn.
  const candidate = await needs.build(onto).catch(() => undefined);
  needs.place.plans(candidate?.ok === true ? candidate.commit : undefined);
  if (candidate?.ok !== true)
    return { onto, candidate: undefined, result: Promise.resolve(undefined), drop: () => Promise.resolve() };
  const dropped = new AbortController();
  const result = needs.check(candidate, AbortSignal.any([needs.signal, dropped.signal]));
  // A discarded check may end in any way; its waiter is told.
  const over = result.then(nothing, nothing);
  const drop = (): Promise<void> => {
    dropped.abort();
    return over;
  };
  return { onto, candidate, result, drop };
}

function nothing(): void {
  // The waiter gets the result.
}
