import type { AttemptOutcome } from "../domain/run/event.ts";
import type { RunState, TicketState } from "../domain/run/state.ts";

/** What a piece of the page means: a class of the style sheet, and always beside a glyph and a word. */
export type ReportTone = "good" | "bad" | "person" | "run" | "wait";

export interface OutcomeStyle {
  readonly glyph: string;
  readonly word: string;
  readonly tone: ReportTone;
}

/** How the run stands; the words are the headline's. */
export function outcomeToneOfRun(state: RunState): ReportTone {
  if (state.end === undefined) return "run";
  return state.end.kind === "oracle-done" ? "good" : "bad";
}

/** How a ticket stands. `live`: an engine is at work on the run. */
export function ticketStyle({ phase, stalledReason }: TicketState, live: boolean): OutcomeStyle {
  switch (phase) {
    case "done":
      return { glyph: "✔", word: "shipped", tone: "good" };
    case "human-gated":
      return { glyph: "!", word: "yours", tone: "person" };
    case "working":
    case "finishing":
      return live ? { glyph: "▶", word: "at work", tone: "run" } : { glyph: "■", word: "cut off", tone: "bad" };
    case "stalled":
      return { glyph: "✖", word: stalledReason === undefined ? "open" : "stalled", tone: "bad" };
    case "waiting":
      return { glyph: "○", word: "open", tone: "wait" };
  }
}

const OUTCOMES: Readonly<Record<AttemptOutcome, OutcomeStyle>> = {
  done: { glyph: "✔", word: "shipped", tone: "good" },
  failed: { glyph: "✖", word: "failed", tone: "bad" },
  silent: { glyph: "✖", word: "fell silent", tone: "bad" },
  "out-of-time": { glyph: "✖", word: "ran out of time", tone: "bad" },
  killed: { glyph: "✖", word: "killed by a person", tone: "bad" },
  gated: { glyph: "!", word: "left to a person", tone: "person" },
  stopped: { glyph: "■", word: "stopped with the run", tone: "wait" },
  lost: { glyph: "■", word: "lost with its engine", tone: "wait" },
};

/** How a try ended; without an outcome it goes on, or nobody has told its end. */
export function outcomeStyle(outcome: AttemptOutcome | undefined, live: boolean): OutcomeStyle {
  if (outcome !== undefined) return OUTCOMES[outcome];
  return live ? { glyph: "▶", word: "at work", tone: "run" } : { glyph: "■", word: "cut off", tone: "wait" };
}
