/** The result of the proof of the oracle. */
export interface TripwireResult {
  readonly ok: boolean;
  /** Set if it is not ok: the canary that was judged wrong, or the changed part of the frozen set. One line. */
  readonly problem?: string;
  /** Set if a fault of the machine, which `problem` names, kept the proof from being made. It says nothing about the oracle. */
  readonly unproven?: true;
  readonly canaries: number;
  readonly ms: number;
}

/** Proves that the oracle still judges: it must judge a set of trackers with known verdicts correctly. */
export interface Tripwire {
  /**
   * Makes fresh canaries and has all of them judged. Never throws. Undefined if it was cancelled. It gives way to other work
   * unless it is `urgent`, which is asked before each judgement.
   */
  check(signal: AbortSignal, urgent?: () => boolean): Promise<TripwireResult | undefined>;
}
