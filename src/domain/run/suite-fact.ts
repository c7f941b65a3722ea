import type { RepoId, TicketId } from "../values/ids.ts";

/** The reason why a check's command ran: for candidates, for a base without a change, or for a proof. */
export type SuitePurpose = "check" | "base" | "proof";

/** A check's command has run on a commit, whatever came of it. */
export interface SuiteFact {
  readonly type: "suite-ran";
  readonly repo: RepoId;
  /** The name of the check. */
  readonly check: string;
  readonly purpose: SuitePurpose;
  /** Milliseconds, without the preparation. */
  readonly ms: number;
  /** It ran some of the tests alone: its time says nothing of the whole. */
  readonly isPart?: true;
  /** The tickets for which it ran: those of a train in landing order. Empty if it was nobody's. */
  readonly tickets: readonly TicketId[];
}

/** Runs of checks' commands, and their milliseconds. */
export interface SuiteCount {
  readonly runs: number;
  readonly ms: number;
}

/** The runs of suites, and the waits for them. */
export interface SuiteCounts extends Readonly<Record<SuitePurpose, SuiteCount>> {
  /** Milliseconds that finished work has waited for a command, its train, or its turn to land. */
  readonly waitingMs: number;
  /** The milliseconds of the last run, by the key of its purpose, repository and check. */
  readonly last: Readonly<Record<string, number>>;
}

/** The state of a run as far as it is about suites. */
interface Counted {
  readonly suites?: SuiteCounts;
}

type Suite = Pick<SuiteFact, "repo" | "check" | "purpose">;

const NONE: SuiteCount = { runs: 0, ms: 0 };

/** Nothing counted yet. */
export const NO_SUITES: SuiteCounts = { check: NONE, base: NONE, proof: NONE, waitingMs: 0, last: {} };

/** Counts one run. */
export function countSuite<S extends Counted>(state: S, fact: Suite & Pick<SuiteFact, "ms" | "isPart">): S {
  const { isPart, ms, purpose } = fact;
  const { suites = NO_SUITES } = state;
  const { runs, ms: before } = suites[purpose];
  const last = isPart === true ? suites.last : { ...suites.last, [suiteKey(fact)]: ms };
  return { ...state, suites: { ...suites, [purpose]: { runs: runs + 1, ms: before + ms }, last } };
}

/** Counts milliseconds of waiting. */
export function countWait<S extends Counted>(state: S, ms: number): S {
  const { suites = NO_SUITES } = state;
  return ms <= 0 ? state : { ...state, suites: { ...suites, waitingMs: suites.waitingMs + ms } };
}

/**
 * The milliseconds that a run will take: those of the last one for the same purpose, or else for another one, because the command
 * is the same. Undefined before its first run.
 */
export function expectedSuiteMs({ suites }: Counted, suite: Suite): number | undefined {
  const purposes: readonly SuitePurpose[] = [suite.purpose, "check", "base"];
  return purposes.map((purpose) => suites?.last[suiteKey({ ...suite, purpose })]).find((ms) => ms !== undefined);
}

function suiteKey({ repo, check, purpose }: Suite): string {
  return `${purpose} ${repo} ${check}`;
}
