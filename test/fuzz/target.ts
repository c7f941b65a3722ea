import type { Random } from "./random.ts";

/** How one input went. */
export interface Trial {
  /** The input, in a few words. */
  readonly input: string;
  /** A word for what came of it. A campaign counts them, so that it shows if all of its inputs end in the same way. */
  readonly outcome: string;
  /** What loopdash did wrong; undefined if nothing. */
  readonly problem?: string;
}

/** Something that reads what a worker may have written, with hostile inputs for it. */
export interface Target {
  readonly name: string;
  /** Bounds of one input: milliseconds, and bytes of memory of the process with all that it started. */
  readonly bounds: { readonly ms: number; readonly bytes: number };
  /** Outcomes that a campaign of a few hundred inputs must have seen. */
  readonly outcomes: readonly string[];
  /**
   * Tries one input, which follows from `random` alone. `folder` is empty, and removed afterwards. `made` is told of the input
   * before it is tried, for those that hang.
   */
  attempt(random: Random, folder: string, made: (input: string) => void): Promise<Trial>;
}

/** Why a text cannot be shown to a person as a sentence; undefined if it can. */
export function unfitSentence(text: string, most: number): string | undefined {
  const shown = JSON.stringify(text.slice(0, 200));
  if (text.trim() === "") return "the reason is empty";
  if (text.length > most) return `the reason has ${text.length} characters: ${shown}`;
  if (/(?:TypeError|RangeError|ReferenceError|undefined is not|Cannot read propert|is not a function|\n\s+at )/.test(text))
    return `the reason is that of a defect: ${shown}`;
  return undefined;
}

/** The message of an error, and why it is none that a person could be shown. */
export function unfitError(error: unknown, most: number): string | undefined {
  if (!(error instanceof Error)) return `what was thrown is no error: ${String(error)}`;
  if (error instanceof TypeError || error instanceof ReferenceError || error instanceof SyntaxError)
    return `it threw a ${error.name}: ${error.stack ?? error.message}`;
  return unfitSentence(error.message, most);
}
