/** `bad`: at present a run is refused or cannot be trusted. `warn`: a run starts, but with fewer features. */
export type Status = "ok" | "warn" | "bad";

/** One line of the doctor. The texts may contain others' text: not yet safe for a terminal. */
export interface CheckResult {
  /** Name of the check; stable, for programs that read the JSON. */
  readonly check: string;
  readonly status: Status;
  /** The finding. */
  readonly found: string;
  /** The remedy; null if there is nothing to fix. */
  readonly fix: string | null;
}

/** There is nothing to fix. */
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
