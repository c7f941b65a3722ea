/** An unmet condition: `short` for the feed, `long` for the agent. */
export interface Unmet {
  readonly short: string;
  readonly long: string;
}

/** The reminder of an agent that stops. `n` of `of`: how many times it was told, this one included. */
export interface StopReminder {
  readonly reason: string;
  readonly unmet: string;
  readonly n: number;
  readonly of: number;
}

/** The result of a look at a stop. Both are absent if nothing is unmet. */
export interface StopLook {
  /** What the agent is told; absent: it is let go. */
  readonly told?: StopReminder;
  /** The checks of which nothing is known, because they took too long: one line. */
  readonly late?: string;
}

/** What is unmet now, and the names of the checks that had no time to end. */
export interface StopChecks {
  readonly failed: readonly Unmet[];
  readonly late: readonly string[];
}

/** Milliseconds for all checks together: the vendors' programs give a hook a minute. */
export const CHECKS_MS = 45_000;

/** What an agent is told for the `n`th of `of` times; nothing if nothing is unmet. */
export function lookOf(
  { failed, late: names }: StopChecks,
  {
    n,
    of,
    advice,
    checksMs = CHECKS_MS,
  }: Pick<StopReminder, "n" | "of"> & { readonly advice: string; readonly checksMs?: number },
): StopLook {
  const late = names.length === 0 ? {} : { late: `${names.join(", ")}: no result within ${checksMs / 1000} s` };
  if (failed.length === 0) return late;
  const lines = failed.map(({ long }) => `- ${long}`).join("\n");
  const reason = `loopdash: you stop, and this is unmet (told ${n} of ${of}):\n${lines}\n${advice}`;
  return { ...late, told: { reason, unmet: failed.map(({ short }) => short).join("; "), n, of } };
}

/** What is said of checks that took too long. */
export function lateLine(late: string): string {
  return `loopdash: the stop guard says nothing of ${late}\n`;
}
