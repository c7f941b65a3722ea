import type { RepoId } from "../values/ids.ts";
import { plural } from "../values/text.ts";
import type { Preparations } from "./prepared-fact.ts";

/** The result of a check on a base before any agent has worked on it. */
export interface MeasuredCheck {
  readonly check: string;
  /** `red`: it runs and fails. `cannot-run`: it says nothing about any change, because what it needs is not there. */
  readonly as: "passed" | "red" | "cannot-run";
  /** The tests that changes are compared by, and those of them that fail; absent if only the exit code counts. */
  readonly tests?: number;
  readonly failing?: number;
  /** Its duration in milliseconds; absent if an earlier run measured it. */
  readonly ms?: number;
  /** The failure, in one line for people; safe for a terminal. */
  readonly says?: string;
}

/** Facts of the checks that run on bases before any agent does. */
export type BaseMeasureFact =
  /** No agent starts on these before their checks have run. */
  | { readonly type: "base-measure-due"; readonly repos: readonly RepoId[] }
  /** It begins; with `check`, the next of its checks does. `expectedMs`: its usual duration, if that is known. */
  | { readonly type: "base-measure-started"; readonly repo: RepoId; readonly check?: string; readonly expectedMs?: number }
  | {
      readonly type: "base-measured";
      readonly repo: RepoId;
      /** The commit that was measured; empty if it is not known. */
      readonly sha: string;
      readonly checks: readonly MeasuredCheck[];
      /** Preparations of its checkouts. */
      readonly preparations?: Preparations;
    }
  /** The engine stopped before it had a result: the next one measures again. */
  | { readonly type: "base-measure-stopped"; readonly repo: RepoId };

/** The measurement of one base. Times in milliseconds since the epoch. */
export type BaseMeasure =
  | { readonly as: "due" }
  | { readonly as: "running"; readonly since: number; readonly check?: string; readonly expectedMs?: number }
  | { readonly as: "measured"; readonly checks: readonly MeasuredCheck[] };

/** The result of a check on its base in words: what changes are compared by, and what fails already. */
export function describeMeasured({ check, as, tests, failing = 0, says = "" }: MeasuredCheck): string {
  const why = says === "" ? "" : `: ${says}`;
  if (as === "cannot-run") return `check ${check} cannot run${why}`;
  if (tests !== undefined) {
    const known = failing === 0 ? "" : `, ${failing} of them fail already and do not count`;
    return `check ${check} compares ${plural(tests, "test")}${known}`;
  }
  if (as === "passed") return `check ${check} passes, by exit code only: tests not compared`;
  return `check ${check} fails already${why}; a change has to mend that too, because only its exit code counts`;
}
