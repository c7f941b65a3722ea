import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { errorCode } from "../../domain/values/error-text.ts";
import { plainText } from "../../domain/values/text.ts";
import { appendLine, reportLines } from "./hook-report.ts";

/** Lines that are handed on in one attempt, and characters of each. The engine writes fewer and shorter ones. */
const MOST = 20;
const CHARS = 400;

/**
 * The lines for the agent that nobody has handed on yet. A hook takes a line by a claim in the report, because it cannot write beside the
 * lines; of hooks that run at the same time, the one whose claim comes first hands it on. Without a report that can be written and read, none is.
 */
export function takeNudges(file: string, report: string | undefined): readonly string[] {
  const lines = linesOf(file);
  if (lines.length === 0 || report === undefined) return [];
  const by = randomUUID();
  try {
    const taken = claimsIn(report);
    const wanted = lines.flatMap((_, n) => (taken.has(n) ? [] : [n]));
    if (wanted.some((n) => appendLine(report, { event: "nudge", n, by }) !== undefined)) return [];
    const claims = wanted.length === 0 ? taken : claimsIn(report);
    return lines.filter((_, n) => claims.get(n) === by);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

function linesOf(file: string): readonly string[] {
  try {
    const lines = readFileSync(file, "utf8").split("\n").slice(0, MOST);
    return lines.filter((line) => line !== "").map((line) => plainText(line, CHARS));
  } catch (error) {
    // Most attempts never have one.
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

/** Who has claimed each line first. An agent could claim one, too: then it is not told. */
function claimsIn(report: string): ReadonlyMap<number, string> {
  const claims = new Map<number, string>();
  for (const line of reportLines(report)) {
    const claim = line.startsWith('{"event":"nudge"') ? claimOf(line) : undefined;
    if (claim !== undefined && !claims.has(claim.n)) claims.set(claim.n, claim.by);
  }
  return claims;
}

function claimOf(line: string): { readonly n: number; readonly by: string } | undefined {
  try {
    const { n, by } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    return typeof n === "number" && typeof by === "string" ? { n, by } : undefined;
  } catch {
    // Cut, or written by somebody else.
    return undefined;
  }
}
