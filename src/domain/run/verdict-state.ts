import type { Judgement } from "./event.ts";

/** The oracle's last verdict and its time; `asking` while the oracle runs. */
export interface OracleState {
  readonly asking: boolean;
  /** Final judgements since the last re-verification. */
  readonly finalJudgements: number;
  readonly last?: Judgement & { readonly at: number; readonly final: boolean };
  readonly judged: number;
}

/** The proof of the oracle in this engine. No verdict counts until it has `passed`, and none ever will once it has `fired`. */
export interface TripwireState {
  readonly status: "due" | "running" | "passed" | "fired";
  readonly problem?: string;
  /** Canaries judged, and the milliseconds it took. */
  readonly canaries: number;
  readonly ms: number;
}
