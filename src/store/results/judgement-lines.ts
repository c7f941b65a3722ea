import type { JudgementRecord } from "../../domain/results/judgements.ts";
import type { PastJudgement } from "../../domain/run/verdict-state.ts";
import { plainText } from "../../domain/values/text.ts";
import { utcTime } from "../../domain/values/time.ts";

/** Judgements that a text lists, and tickets that one of its lines names; the others are counted. */
const MOST_LINES = 100;
const MOST_TICKETS = 6;
/** Characters of a hash that people compare. */
const SHA = 12;

/** `final: not-done, 3 done, 0 gated, 1 open, 412 ms`, or why the oracle could not judge. */
export function judgementText({ final, verdict, counts, problem, durationMs }: PastJudgement): string {
  const what = verdict === "unjudged" ? plainText(problem ?? "no reason given", 300) : countsText(counts);
  return `${final ? "final: " : ""}${verdict}, ${what}, ${durationMs} ms`;
}

function countsText({ done, gated, open }: PastJudgement["counts"]): string {
  return `${done} done, ${gated} gated, ${open} open`;
}

/** What the oracle said of tickets that it had not said before: `T-1 done, T-2 open`. */
export function evidenceText({ evidence }: JudgementRecord): string {
  if (evidence === undefined) return "no evidence";
  const named = evidence.tickets.slice(0, MOST_TICKETS).map(({ id, state }) => `${id} ${state}`);
  const more = evidence.tickets.length + evidence.more - named.length;
  return [...named, ...(more > 0 ? [`+${more} more`] : [])].join(", ") || "nothing new";
}

/** The judgements of a run, oldest first, a line each. Of many, the last ones. */
export function judgementLines(judgements: readonly JudgementRecord[]): readonly string[] {
  const shown = judgements.slice(-MOST_LINES);
  const lines = shown.map(
    (each) => `${utcTime(each.at)} UTC, oracle ${each.oracleSha.slice(0, SHA)}: ${judgementText(each)}; ${evidenceText(each)}`,
  );
  const before = judgements.length - shown.length;
  return before > 0 ? [`${before} earlier ones are in report --json`, ...lines] : lines;
}
