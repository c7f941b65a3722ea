/** What the proof of the oracle came to. */
export interface TripwireResult {
  readonly ok: boolean;
  /** Where it is not ok: which canary was judged wrong and how, or what changed of the frozen set. One line. */
  readonly problem?: string;
  readonly canaries: number;
  readonly ms: number;
}

/** Proves that the oracle still judges: it must judge a set of trackers right whose verdicts are known. */
export interface Tripwire {
  /**
   * Makes the canaries fresh and has all of them judged. Never throws. Undefined where it was called off. It gives way to
   * other work as long as it is not `urgent`, which is asked before each judgement.
   */
  check(signal: AbortSignal, urgent?: () => boolean): Promise<TripwireResult | undefined>;
}
