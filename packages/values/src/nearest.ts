import { distance } from "fastest-levenshtein";
import { plainText } from "./text.ts";

/** A value from the file for a message: short, on one line, without control characters. */
export function displayValue(value: unknown): string {
  if (typeof value === "string")
    return plainText(JSON.stringify([...value.slice(0, 84)].slice(0, 40).join("") + (value.length > 40 ? "…" : "")));
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

/** Longer names are not compared: nobody mistypes those, and the cost grows with the square of the length. */
const MAX_COMPARED = 64;
/** Number of names that a message lists. */
const MAX_LISTED = 8;

/**
 * The candidate that `name` was probably meant to be: at most a third of it differs, case aside. Among equals, the one with the
 * closest number, then the first.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_COMPARED) return undefined;
  const wanted = name.toLowerCase();
  const limit = Math.max(1, Math.floor(name.length / 3));
  let best: { candidate: string; far: number; gap: number } | undefined;
  for (const candidate of candidates) {
    if (candidate.length > MAX_COMPARED || Math.abs(candidate.length - name.length) > limit) continue;
    const far = isSwapped(wanted, candidate.toLowerCase()) ? 1 : distance(wanted, candidate.toLowerCase());
    if (far > (best?.far ?? limit) || far >= name.length) continue;
    const gap = Math.abs(lastNumber(candidate) - lastNumber(name));
    if (best === undefined || far < best.far || gap < best.gap) best = { candidate, far, gap };
  }
  return best?.candidate;
}

/** True if two letters side by side have changed places, which counts as one mistake. */
function isSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const at = [...a].findIndex((letter, i) => letter !== b[i]);
  return at >= 0 && a.slice(at, at + 2) === `${b[at + 1]}${b[at]}` && a.slice(at + 2) === b.slice(at + 2);
}

/** `did you mean "x"?` if something is near, or else the possible names. */
export function hintFor(name: string, candidates: readonly string[], label: string): string | undefined {
  const near = nearest(name, candidates);
  if (near !== undefined) return `did you mean ${displayValue(near)}?`;
  return candidates.length === 0 ? undefined : `${label}: ${listed(candidates)}`;
}

/** The first few names, with commas between. */
export function listed(names: readonly string[]): string {
  const more = names.length > MAX_LISTED + 2 ? ` and ${names.length - MAX_LISTED} more` : "";
  return (more === "" ? names : names.slice(0, MAX_LISTED)).join(", ") + more;
}

function lastNumber(name: string): number {
  return Number(/(\d{1,15})\D*$/.exec(name)?.[1] ?? 0);
}
