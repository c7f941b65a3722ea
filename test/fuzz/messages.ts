import type { Trial } from "./target.ts";

/** The inputs of one target that a process tries: `first`, `first + step` and so on, below `end`. */
export interface Inputs {
  readonly target: string;
  readonly seed: number;
  readonly first: number;
  readonly end: number;
  readonly step: number;
  /** Where each input has a folder of its own. */
  readonly folder: string;
}

/** What the process that tries inputs tells of them. */
export type Told = { readonly begins: number } | { readonly made: string } | ({ readonly ends: number } & Trial);
