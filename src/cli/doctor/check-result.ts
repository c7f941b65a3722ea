/**
 * `bad`: as things are, a run is refused or cannot be trusted. `warn`: a run starts, with something less than it could have.
 */
export type Status = "ok" | "warn" | "bad";

/** One line of the doctor. The texts may hold what others wrote: not yet safe for a terminal. */
export interface CheckResult {
  /** What was looked at; stable, for programs that read the JSON. */
  readonly check: string;
  readonly status: Status;
  /** What was found. */
  readonly found: string;
  /** How to mend it; null where there is nothing to mend. */
  readonly fix: string | null;
}

/** Nothing to mend. */
export function ok(check: string, found: string): CheckResult {
  return { check, status: "ok", found, fix: null };
}

/** A run starts all the same. */
export function warn(check: string, found: string, fix: string): CheckResult {
  return { check, status: "warn", found, fix };
}

/** No run starts, or none that can be trusted. */
export function bad(check: string, found: string, fix: string): CheckResult {
  return { check, status: "bad", found, fix };
}
