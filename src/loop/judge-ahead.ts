import type { Candidate } from "../ports/vcs.ts";
import { orAborted, type Place } from "./merge-lanes.ts";

type Built = Extract<Candidate, { ok: true }>;

/** How a change is judged on a base that is not there yet. `R` is what a judgement gives. */
export interface AheadNeeds<R> {
  readonly place: Place;
  readonly signal: AbortSignal;
  /** Builds the candidate on a commit that is not the base's tip. */
  build(onto: string): Promise<Candidate>;
  /** Judges it and tells nobody; undefined where it cannot be judged now. The signal calls it off. */
  judge(candidate: Built, signal: AbortSignal): Promise<R | undefined>;
  baseTip(): Promise<string>;
}

/** A candidate that was judged before its turn had come, on what the base now is. */
export interface JudgedAhead<R> {
  readonly candidate: Built;
  readonly result: R;
}

/** A judgement on what somebody else was about to land. */
interface Guess<R> {
  readonly onto: string;
  readonly candidate: Built | undefined;
  readonly result: Promise<R | undefined>;
  readonly drop: () => void;
}

/**
 * Waits for the turn, and meanwhile judges the change on what the one before is about to land (as merge queues do that
 * speculate). Where it does land, that judgement is of the very tree that lands next; where it does not, the judgement is
 * dropped as if it had never been, whatever it said. Throws the signal's reason where it is aborted.
 */
export async function judgeAhead<R>(needs: AheadNeeds<R>): Promise<JudgedAhead<R> | undefined> {
  const { place, signal } = needs;
  let guess: Guess<R> | undefined;
  try {
    while (!place.isFirst) {
      const { changed, ahead } = place;
      if (guess?.onto !== ahead) {
        guess?.drop();
        guess = ahead === undefined ? undefined : await begin(needs, ahead);
      }
      await orAborted(changed, signal);
    }
    signal.throwIfAborted();
    if (guess?.candidate === undefined || guess.onto !== (await needs.baseTip())) return undefined;
    const result = await guess.result;
    return result === undefined ? undefined : { candidate: guess.candidate, result };
  } finally {
    guess?.drop();
  }
}

async function begin<R>(needs: AheadNeeds<R>, onto: string): Promise<Guess<R>> {
  const candidate = await needs.build(onto);
  needs.place.plans(candidate.ok ? candidate.commit : undefined);
  if (!candidate.ok) return { onto, candidate: undefined, result: Promise.resolve(undefined), drop: () => undefined };
  const dropped = new AbortController();
  const result = needs.judge(candidate, AbortSignal.any([needs.signal, dropped.signal]));
  // One that is dropped may come to nothing in any way; who waits for it is told.
  result.catch(() => undefined);
  return { onto, candidate, result, drop: () => dropped.abort() };
}
