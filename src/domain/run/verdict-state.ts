import type { Judgement } from "./event.ts";

/** What the oracle last said and when; `asking` while it runs. */
export interface OracleState {
  readonly asking: boolean;
  /** Final judgements since the last re-verification. */
  readonly finalJudgements: number;
  readonly last?: Judgement & { readonly at: number; readonly final: boolean };
  readonly judged: number;
}

/**
 * Whether the oracle was proven in the life of this engine: until it has `passed`, no verdict counts. Once it has `fired`,
 * none ever will.
 */
export interface TripwireState {
  readonly status: "due" | "running" | "passed" | "fired";
  readonly problem?: string;
  /** Canaries judged, and the milliseconds it took. */
  readonly canaries: number;
  readonly ms: number;
}
