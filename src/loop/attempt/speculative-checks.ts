import type { Candidate } from "../../ports/vcs.ts";
import type { QueueEntry } from "../concurrency/merge-queue.ts";
import { orAborted } from "../concurrency/wait.ts";

type Built = Extract<Candidate, { ok: true }>;

/** How a change is checked on a base that is not there yet. `R` is what its checks give. */
export interface SpeculationOptions<R> {
  readonly place: QueueEntry;
  readonly signal: AbortSignal;
  /** Builds the candidate on a commit that is not the base's tip. */
  build(onto: string): Promise<Candidate>;
  /** Checks it and tells nobody; undefined if it cannot be checked now. The signal calls it off. */
  check(candidate: Built, signal: AbortSignal): Promise<R | undefined>;
  baseTip(): Promise<string>;
}

/** A candidate that was checked before its turn had come, on what the base now is. */
export interface SpeculativeCheck<R> {
  readonly candidate: Built;
  readonly result: R;
}

/** Checks on what somebody else was about to land. */
interface Guess<R> {
  readonly onto: string;
  readonly candidate: Built | undefined;
  readonly result: Promise<R | undefined>;
  /** Calls it off. Settles once nothing of it is at work any more. */
  readonly drop: () => Promise<void>;
}

/**
 * Waits for the turn, and meanwhile checks the change on what the one before is about to land (as merge queues do that
 * speculate). If it does land, that result is about the very tree that lands next; if it does not, the result is
 * dropped as if it had never been, whatever it said. Throws the signal's reason where it is aborted. Once it settles, nothing of it
 * is at work any more: an attempt's programs have one marker, and an executor refuses to start two with it at a time.
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
        // Who comes after is told at once that nothing of it will land.
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
  // What breaks here is no matter of its own base; what breaks there as well is told when its turn has come.
  const candidate = await needs.build(onto).catch(() => undefined);
  needs.place.plans(candidate?.ok === true ? candidate.commit : undefined);
  if (candidate?.ok !== true)
    return { onto, candidate: undefined, result: Promise.resolve(undefined), drop: () => Promise.resolve() };
  const dropped = new AbortController();
  const result = needs.check(candidate, AbortSignal.any([needs.signal, dropped.signal]));
  // One that is dropped may come to nothing in any way; who waits for it is told.
  const over = result.then(nothing, nothing);
  const drop = (): Promise<void> => {
    dropped.abort();
    return over;
  };
  return { onto, candidate, result, drop };
}

function nothing(): void {
  // What it came to is told to whoever waits for it.
}
