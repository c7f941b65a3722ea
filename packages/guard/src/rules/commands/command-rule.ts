import type { RuleId } from "../../rule-table.ts";

/** Commands that a rule forbids by their words alone. */
export interface CommandRule {
  /** Names of programs, separated by `|`. */
  readonly programs: string;
  /** The words after the program, without options: each is alternatives separated by `|`, a `*`, or a pattern between slashes; `!` negates it. */
  readonly words: string;
  readonly rule: RuleId;
  /** Only with one of these options or words (exact, or with a value). */
  readonly needs?: readonly string[];
  /** Not with one of these. */
  readonly unless?: readonly string[];
}

/** Options with which a program only shows what it would do. */
export const DRY: readonly string[] = ["--dry-run", "--dryrun", "--help", "-h"];
