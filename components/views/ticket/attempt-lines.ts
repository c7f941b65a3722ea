import { stepName } from "../../../src/domain/batch/step-spec.ts";
import { formatAge } from "../../../src/store/format.ts";
import { STEP_STYLES } from "../../../src/store/labels/attempt-status.ts";
import { type Label, outcomeLabel, STYLES, stepLabel } from "../../../src/store/labels/tone.ts";
import type { AttemptEntry, AttemptHistory, AttemptMark } from "../../../src/store/ticket-log/attempts.ts";
import { entryLabel } from "../../../src/store/ticket-log/head.ts";
import type { LifeStep } from "../../../src/store/views/ticket.ts";
import { cut, fitTo, textWidth, wrapTo } from "../../kit/fit.ts";
import { type Span, type SpanLine, spansWidth } from "../../kit/spans.tsx";

/** A line of the attempt history; `since`: the start of the elapsed time behind it; `of`: its attempt, and its step. */
export interface AttemptLine {
  readonly line: SpanLine;
  readonly of?: { readonly n: number; readonly step?: LifeStep };
  readonly since?: number | undefined;
}

/** Columns of the time behind a line. */
export const TIME_WIDTH = 8;

function attemptLabel({ outcome }: AttemptHistory): Label {
  return outcome === undefined ? { ...STYLES.agent, word: "under way" } : outcomeLabel(outcome, true);
}

/** An attempt with its steps on one line, `count` behind its number: `✖ attempt 1  failed  agent 40s, gates ok`. */
export function attemptLine(
  attempt: AttemptHistory,
  options: { readonly chosen: boolean; readonly width: number; readonly count: string },
): AttemptLine {
  const { chosen, width, count } = options;
  const { glyph, tone, word } = attemptLabel(attempt);
  const head = `attempt ${attempt.n}${count}  ${word}`;
  const room = width - 3 - textWidth(head) - 2 - (attempt.outcome === undefined ? TIME_WIDTH : 0);
  const story = room < 12 ? "" : summarizeSteps(attempt, room);
  const rest = story === "" ? "" : `  ${story}`;
  return {
    line: [
      { text: chosen ? "▌" : " ", tone: "running" },
      { text: `${glyph} `, tone },
      { text: head, bold: chosen, tone: chosen ? "plain" : tone },
      { text: rest, tone: "waiting" },
    ],
    since: attempt.outcome === undefined ? attempt.startedAt : undefined,
  };
}

/**
 * The steps of an attempt, in words; if there is no room for all, the failed or the running one, else those that were passed over.
 * Future steps are omitted.
 */
function summarizeSteps({ entries, says }: AttemptHistory, width: number): string {
  const words = entries.flatMap((entry) => storyLabel(entry) ?? []);
  const whole = words.length === 0 ? says : words.join(", ");
  if (textWidth(whole) <= width) return whole;
  const over = entries.filter(({ mark }) => mark === "not-needed");
  const open = entries.filter(({ mark }) => mark !== "passed" && mark !== "claimed" && mark !== "not-needed");
  const telling = [open, over].map((some) => some.flatMap((entry) => storyLabel(entry) ?? []).join(", "));
  return cut(telling.find((text) => text !== "") ?? whole, width);
}

/** Behind a step that was passed over. */
const NOT_NEEDED = "not needed";

/** A step that was passed over, without who would have made it. */
function stepWord({ spec }: AttemptEntry): string {
  return spec === undefined ? "agent" : stepLabel(spec.step, stepName(spec));
}

function storyLabel(entry: AttemptEntry): string | undefined {
  const word = entryLabel(entry);
  switch (entry.mark) {
    case "claimed":
      return `${word} ${entry.ms === undefined ? "stopped" : formatAge(entry.ms)}`;
    case "passed":
      return `${word} ok`;
    case "not-needed":
      return `${stepWord(entry)} ${NOT_NEEDED}`;
    case "failed":
      return `${word} failed${entry.says === undefined ? "" : `: ${entry.says}`}`;
    case "running":
    case "waits":
      return `at ${word}`;
    case "held":
      return `${word} held`;
    default:
      return undefined;
  }
}

/** All attempts, the chosen one with each of its steps. `at` is the index of the chosen step. */
export function attemptLines(
  attempts: readonly AttemptHistory[],
  chosen: { readonly attempt: AttemptHistory; readonly entry: AttemptEntry | undefined },
  width: number,
): { readonly lines: readonly AttemptLine[]; readonly at: number } {
  const lines: AttemptLine[] = [];
  let at = 0;
  for (const attempt of attempts) {
    const own = attempt === chosen.attempt;
    const { n } = attempt;
    lines.push({ ...headLine(attempt, own, width), of: { n } });
    if (!own) {
      const story = summarizeSteps(attempt, width - 4);
      if (story !== "") lines.push({ line: [{ text: fitTo(`   ${story}`, width), tone: "waiting" }], of: { n } });
      continue;
    }
    for (const entry of attempt.entries) {
      if (entry === chosen.entry) at = lines.length;
      const { step } = entry;
      lines.push(...entryLines(entry, entry === chosen.entry, width).map((line) => ({ ...line, of: { n, step } })));
    }
  }
  return { lines, at };
}

function headLine(attempt: AttemptHistory, chosen: boolean, width: number): AttemptLine {
  const { glyph, tone, word } = attemptLabel(attempt);
  const took = attempt.endedAt === undefined ? "" : formatAge(attempt.endedAt - attempt.startedAt);
  const text = fitTo(`attempt ${attempt.n}  ${word}`, width - 3 - TIME_WIDTH);
  const line: Span[] = [
    { text: ` ${glyph} `, tone },
    { text, bold: chosen },
  ];
  if (attempt.endedAt !== undefined) line.push({ text: fitTo(took, TIME_WIDTH, "right"), tone: "waiting" });
  return { line, since: attempt.endedAt === undefined ? attempt.startedAt : undefined };
}

/** The words of a step that has no result of its own. */
const SAYS: Readonly<Partial<Record<AttemptMark, string>>> = { waits: "waits for its turn", "not-needed": NOT_NEEDED };

/** The steps that nothing was done for. */
const FAINT: ReadonlySet<AttemptMark> = new Set(["ahead", "unreached", "not-needed"]);

function entryLines(entry: AttemptEntry, chosen: boolean, width: number): readonly AttemptLine[] {
  const { glyph, tone } = STEP_STYLES[entry.mark];
  const took = entry.ms === undefined ? "" : formatAge(entry.ms);
  const says = entry.says ?? SAYS[entry.mark] ?? "";
  const word = entryLabel(entry);
  const room = width - 5 - TIME_WIDTH;
  const beside = says !== "" && entry.mark !== "failed" && textWidth(word) + 2 + textWidth(says) <= room;
  const rest = room - textWidth(cut(word, room));
  const line: Span[] = [
    { text: chosen ? "▌" : " ", tone: "running" },
    { text: `  ${glyph} `, tone },
    { text: cut(word, room), tone: FAINT.has(entry.mark) ? "waiting" : "plain", inverse: chosen },
    { text: fitTo(beside ? `  ${says}` : "", rest), tone: "waiting" },
  ];
  if (entry.since === undefined) line.push({ text: fitTo(took, TIME_WIDTH, "right"), tone: "waiting" });
  const told = says === "" || beside ? [] : wrapTo(says, width - 6, 3);
  return [
    { line, since: entry.since },
    ...told.map((text): AttemptLine => ({ line: [{ text: fitTo(`     ${text}`, width), tone }] })),
  ];
}

/** The finish line as a track, behind the agent; the chosen step is inverted. If not all of it fits, only that step is named. */
export function trackLine(attempt: AttemptHistory, chosen: AttemptEntry | undefined, width: number): SpanLine {
  const whole = trackSpans(attempt, chosen, () => true);
  return spansWidth(whole) <= width
    ? whole
    : trackSpans(attempt, chosen, (entry) => entry === chosen || entry.mark === "running");
}

function trackSpans(
  attempt: AttemptHistory,
  chosen: AttemptEntry | undefined,
  named: (entry: AttemptEntry) => boolean,
): SpanLine {
  const steps = attempt.entries.flatMap((entry) => [
    { text: named(entry) ? "  " : " " },
    ...trackEntry(entry, entry === chosen, named(entry) ? ` ${trackLabel(entry)}` : ""),
  ]);
  return [{ text: ` attempt ${attempt.n} `, tone: "waiting" }, ...steps];
}

function trackLabel(entry: AttemptEntry): string {
  return entry.mark === "not-needed" ? `${entryLabel(entry)} ${NOT_NEEDED}` : entryLabel(entry);
}

function trackEntry(entry: AttemptEntry, chosen: boolean, words: string): SpanLine {
  const { glyph, tone } = STEP_STYLES[entry.mark];
  const lit = entry.mark === "running" || entry.mark === "failed";
  return [
    { text: glyph, tone },
    { text: words, tone: lit ? tone : chosen ? "plain" : "waiting", bold: entry.mark === "running" },
    ...(chosen && words !== "" ? [{ text: "◂", tone: "running" } as const] : []),
  ];
}
