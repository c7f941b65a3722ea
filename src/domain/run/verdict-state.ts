import type { Judgement } from "./event.ts";

/** The oracle's last verdict and its time; `asking` while the oracle runs. */
export interface OracleState {
  readonly asking: boolean;
  /** Final judgements since the last re-verification. */
  readonly finalJudgements: number;
  readonly last?: Judgement & { readonly at: number; readonly final: boolean };
  readonly judged: number;
  /** The last judgements, oldest first, at most 50. The journal has all of them. */
  readonly recent: readonly PastJudgement[];
}

/** A judgement of the oracle. Times in milliseconds. */
export interface PastJudgement extends Omit<Judgement, "open"> {
  readonly at: number;
  readonly final: boolean;
  /** sha256 of the oracle's bytes that judged. */
  readonly oracleSha: string;
  /** The number of tickets of which the oracle said something else than before. Absent if it gave no evidence. */
  readonly changed?: number;
}

/** The proof of the oracle in this engine. No verdict counts until it has `passed`, and none ever will once it has `fired`. */
export interface TripwireState {
  readonly status: "due" | "running" | "passed" | "fired";
  readonly problem?: string;
  /** Canaries judged, and the milliseconds it took. */
  readonly canaries: number;
  readonly ms: number;
}
