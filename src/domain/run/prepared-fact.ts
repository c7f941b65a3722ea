import type { AttemptRef } from "../values/ids.ts";
import { type UnpreparedBases, withoutUnprepared } from "./prepare-fact.ts";

/** The use of a preparation that is an attempt's own. */
const WORKTREE = "worktree";

/** Facts about preparing a worktree or a checkout. `name` is its use: "worktree", or the name of a step. */
export type PreparedFact =
  /** It waits until somebody else has made the same preparation. `reason` is one line for people. */
  | ({ readonly type: "preparation-awaited"; readonly name: string; readonly reason: string } & AttemptRef)
  | ({
      readonly type: "prepared";
      readonly name: string;
      readonly ms: number;
      /** True if it got the copy of a kept preparation, and no command ran for it. */
      readonly reused: boolean;
      /** The first digits of the hash of all inputs; absent if preparations are not kept. */
      readonly key?: string;
      /** The reason why commands ran for it alone; one line, and raw. */
      readonly why?: string;
      /** True if the batch could name the files that the commands read (`inputs`), and then one result would serve many. */
      readonly canNameInputs?: true;
    } & AttemptRef);

/** Preparations so far: those for which commands ran, and those that were copies. */
export interface Preparations {
  readonly made: number;
  readonly reused: number;
}

/** Counts a preparation. That of a worktree shows that its base can be prepared. */
export function reducePrepared<S extends { readonly preparations?: Preparations; readonly unprepared?: UnpreparedBases }>(
  state: S,
  event: PreparedFact,
  repo: string,
): S {
  if (event.type !== "prepared") return state;
  const { made, reused } = state.preparations ?? { made: 0, reused: 0 };
  const mended = event.name === WORKTREE && state.unprepared?.[repo] !== undefined;
  const rest = mended ? { ...state, unprepared: withoutUnprepared(state.unprepared, repo) } : state;
  return { ...rest, preparations: event.reused ? { made, reused: reused + 1 } : { made: made + 1, reused } };
}

/** Folds a fact about preparing into its attempt. */
export function withPreparation<A extends { readonly awaited?: string }>(
  attempt: A,
  event: PreparedFact,
): Omit<A, "awaited"> & { readonly awaited?: string } {
  const { awaited: _, ...rest } = attempt;
  return event.type === "prepared" ? rest : { ...rest, awaited: event.reason };
}
