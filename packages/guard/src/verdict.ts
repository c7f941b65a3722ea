import type { Family, RuleId } from "./rule-table.ts";

/** Settings of the guard: plain data, as a batch may contain it. */
export interface GuardSettings {
  /** Families that are switched on or off; the others are on. */
  readonly families?: Readonly<Partial<Record<Family, boolean>>>;
  /** Single rules that are switched on or off; wins over the family. */
  readonly rules?: Readonly<Partial<Record<RuleId, boolean>>>;
  /** The verdict on a line that the guard cannot parse; `block` by default. */
  readonly onParseError?: "block" | "allow";
}

/** Gives the result of synchronous work, or undefined if its time is over, which ends it. The work must change nothing outside itself. */
export type TimeLimit = <T>(work: () => T) => T | undefined;

/** Where a command line would run. All paths are absolute. */
export interface GuardContext {
  readonly cwd: string;
  /** The folder in which the caller may delete; `cwd` by default. */
  readonly worktree?: string;
  readonly home: string;
  /** The branch that is checked out there, if it is known. */
  readonly branch?: string | undefined;
  /** The folder for temporary files, besides the usual ones. */
  readonly temp?: string;
  readonly settings?: GuardSettings;
  /** Files that nobody may write, by every name that they have: the guard's own settings. */
  readonly kept?: readonly string[];
  /** The limit of time of a judgement. Absent for lines that nobody else wrote. */
  readonly limited?: TimeLimit;
}

/** The judgement of one command line. */
export type GuardVerdict =
  | { readonly verdict: "allow" }
  | {
      readonly verdict: "block";
      readonly rule: RuleId;
      /** One sentence, for people and agents. */
      readonly reason: string;
      /** A command line that the guard allows. */
      readonly alternative: string;
    };
