import { wrapWords } from "../../../components/kit/fit.ts";
import { plainText } from "../../domain/values/text.ts";

/** `bad`: at present a run is refused or cannot be trusted. `warn`: a run starts, but with fewer features. */
export type Status = "ok" | "warn" | "bad";

/** A result, or the reason why a check was not made. */
export type ShownCheck = Omit<CheckResult, "status"> & { readonly status: Status | "skip" };

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

/** The texts may come from files and programs: lines stay lines, and every other terminal control is removed. */
export function plainCheck<Shown extends ShownCheck>({ found, fix, ...check }: Shown): Shown {
  const plain = (text: string): string =>
    text
      .split("\n")
      .map((line) => plainText(line))
      .join("\n");
  return { ...check, found: plain(found), fix: fix === null ? null : plain(fix) } as Shown;
}

/**
 * A result for people: status, name and finding, and the remedy below them. `width` is that of the longest name. On a terminal, lines
 * are broken between words.
 */
export function checkLines({ check, status, found, fix }: ShownCheck, width: number): readonly string[] {
  const gap = " ".repeat(6 + width + 2);
  const room = (process.stdout.columns ?? Number.POSITIVE_INFINITY) - gap.length;
  const broken = (text: string, columns: number) =>
    text.split("\n").flatMap((line) => wrapWords(line, columns, { keepsWords: true }));
  const [first = "", ...rest] = broken(found, room);
  const todo = fix === null ? [] : broken(fix, room - 4).map((line, i) => `${gap}${i === 0 ? "do: " : "    "}${line}`);
  return [`${status.padEnd(4)}  ${check.padEnd(width)}  ${first}`, ...rest.map((line) => `${gap}${line}`), ...todo];
}
