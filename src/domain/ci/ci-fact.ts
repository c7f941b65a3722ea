import type { AttemptRef, RepoId } from "../values/ids.ts";

/** The kind of repair that a fixer makes. */
export type FixerKind = "format" | "lint";

/** Facts of an attempt at the checks of a branch, beside those of its push and of its checks (`PullRequestFact`). */
export type CiFact =
  /** Commands of the repository itself that repair what they can have run, and have changed files. */
  | ({ readonly type: "ci-fixed"; readonly fixers: readonly string[] } & AttemptRef)
  /** The branch has moved to the attempt's commit, at the forge and here. */
  | ({
      readonly type: "ci-pushed";
      readonly repo: RepoId;
      readonly from: string;
      readonly to: string;
      readonly files: number;
    } & AttemptRef)
  /** Checks of a commit have failed. */
  | ({ readonly type: "ci-triaged" } & CiFailure & AttemptRef);

/** Characters of a check's name that are kept. */
export const CHECK_CHARS = 200;

/** The failed checks of a commit. Names are safe for a terminal, and bounded. */
export interface CiFailure {
  readonly head: string;
  /** Names of all checks that failed, each once: the forge gives no more than some thousands. */
  readonly failed: readonly string[];
  /** See `noteSignature`; absent if nothing was recognised. */
  readonly signature?: string;
  /** The kinds that fixers could repair. */
  readonly fixable: readonly FixerKind[];
}

/** One attempt at the checks of a branch. */
export interface CiIteration {
  /** The number of the attempt. */
  readonly attempt: number;
  readonly fixers?: readonly string[];
  /** The commit that it pushed, and the number of files that it changed. */
  readonly commit?: string;
  readonly files?: number;
  /** Present if its checks have failed. */
  readonly failure?: CiFailure;
}

/** The attempts at the checks of a branch, in order. The first one only read them. */
export interface CiLoop {
  readonly iterations: readonly CiIteration[];
}

/** Attempts that are remembered; a batch allows 20 that count. */
const MOST_ITERATIONS = 100;

/** The loop after a fact of its n-th attempt. */
export function reduceCi(loop: CiLoop | undefined, attempt: number, event: CiFact): CiLoop {
  const before = loop?.iterations ?? [];
  const known = before.at(-1)?.attempt === attempt ? before.at(-1) : undefined;
  const rest = known === undefined ? before : before.slice(0, -1);
  const iteration = withFact(known ?? { attempt }, event);
  return { iterations: [...rest, iteration].slice(-MOST_ITERATIONS) };
}

function withFact(iteration: CiIteration, event: CiFact): CiIteration {
  switch (event.type) {
    case "ci-fixed":
      return { ...iteration, fixers: event.fixers };
    case "ci-pushed":
      return { ...iteration, commit: event.to, files: event.files };
    case "ci-triaged": {
      const { head, failed, signature, fixable } = event;
      return { ...iteration, failure: { head, failed, fixable, signature } };
    }
  }
}

/** The last failure of a branch that was read; undefined before the first. */
export function lastCiFailure(loop: CiLoop | undefined): CiFailure | undefined {
  return loop?.iterations.findLast(({ failure }) => failure !== undefined)?.failure;
}

/** The names of checks that have failed in the loop: each must have run on a commit before that is green. */
export function failedBefore(loop: CiLoop | undefined): readonly string[] {
  return [...new Set(loop?.iterations.flatMap(({ failure }) => failure?.failed ?? []))];
}

/** True if fixers made the newest change of the loop, and it was not pushed. */
export function haveFixedInVain(loop: CiLoop | undefined): boolean {
  const newest = loop?.iterations.at(-1);
  return newest?.fixers !== undefined && newest.commit === undefined;
}
