import type { Argv } from "../batch/prepare-command.ts";

/** The file of a repository that holds its rules. It lies at the top, and no change may touch it. */
export const BOUND_FILE = "BOUND.md";

/** The place of a rule: a line of the repository's BOUND.md (from 1), or the key `bound` of the batch file. */
export type RuleOrigin = { readonly file: typeof BOUND_FILE; readonly line: number } | { readonly file: "batch" };

/** Paths whose changes a person has to approve. */
export interface Zone {
  /** A glob of whole segments, relative to the top of the repository; see `zoneMatcher`. */
  readonly path: string;
  readonly why?: string | undefined;
  readonly origin: RuleOrigin;
}

/** Behaviour that is forbidden, in prose. */
export interface Prohibition {
  readonly text: string;
  readonly origin: RuleOrigin;
}

/** A condition that must always hold. Without a command it is prose. */
export interface IronLaw {
  /** The name of its steps in a finish line. */
  readonly name: string;
  readonly text: string;
  /** Program and arguments; the law holds if it exits 0. */
  readonly command?: Argv | undefined;
  readonly origin: RuleOrigin;
}

/** The rules of a repository. */
export interface Bound {
  readonly zones: readonly Zone[];
  readonly neverDo: readonly Prohibition[];
  readonly ironLaws: readonly IronLaw[];
}

/** The rules of each repository by its id, as a run freezes them. */
export type Bounds = Readonly<Record<string, Bound>>;

/** A repository without rules. */
export const NO_RULES: Bound = { zones: [], neverDo: [], ironLaws: [] };

/** True if there is no rule. */
export function isUnbound({ zones, neverDo, ironLaws }: Bound): boolean {
  return zones.length + neverDo.length + ironLaws.length === 0;
}

/** Rules at most, over all sections. */
export const MOST_RULES = 200;

/** The rules of two sources together. Laws are numbered anew unless they have names of their own. */
export function joinBounds(first: Bound, second: Bound): Bound {
  const known = new Set(first.zones.map(({ path }) => path));
  const laws = [...first.ironLaws, ...second.ironLaws];
  return {
    zones: [...first.zones, ...second.zones.filter(({ path }) => !known.has(path))],
    neverDo: [...first.neverDo, ...second.neverDo],
    ironLaws: laws.map((law, i) => ({ ...law, name: lawName(i) })),
  };
}

/** The name of the n-th law, from 0. */
export function lawName(index: number): string {
  return `iron-law-${index + 1}`;
}

/** A rule's place for people. */
export function describeOrigin(origin: RuleOrigin): string {
  return origin.file === "batch" ? "bound in the batch file" : `${BOUND_FILE}:${origin.line}`;
}
