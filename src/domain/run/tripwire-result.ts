/** The result of the proof that the oracle still judges. */
export interface TripwireResult {
  readonly ok: boolean;
  /** Set if it is not ok: the canary that was judged wrong, or the changed part of the frozen set. One line. */
  readonly problem?: string;
  /** Set if a fault of the machine, which `problem` names, kept the proof from being made. It says nothing about the oracle. */
  readonly unproven?: true;
  readonly canaries: number;
  readonly ms: number;
}
