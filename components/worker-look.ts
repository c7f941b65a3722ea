import type { AgentEnding } from "../src/domain/event.ts";
import type { Attempt, TicketState } from "../src/domain/state.ts";
import { displayText } from "../src/store/display-text.ts";
import { plural } from "../src/store/format.ts";
import { stepWord } from "../src/store/step-word.ts";
import type { Tone } from "../src/store/tone.ts";
import { cut } from "./fit.ts";

/** What a worker is at, in a glyph and a word or two. */
export interface StageLook {
  readonly glyph: string;
  readonly tone: Tone;
  readonly word: string;
}

/** What a try is at now. */
export function stageOf(attempt: Attempt): StageLook {
  if (attempt.killing !== undefined && attempt.agent?.endedAt === undefined) return { glyph: "■", tone: "bad", word: "ending" };
  if (attempt.waiting !== undefined) return { glyph: "‖", tone: "person", word: "merge waits" };
  if (attempt.step !== undefined) return { glyph: "»", tone: "running", word: stepWord(attempt.step.kind, attempt.step.name) };
  if (attempt.agent?.endedAt !== undefined) return { glyph: "»", tone: "running", word: "collecting" };
  if (attempt.agent !== undefined) return { glyph: "▶", tone: "running", word: "agent" };
  return { glyph: "◌", tone: "waiting", word: attempt.worktree === undefined ? "worktree" : "prepare" };
}

const ENDING: Readonly<Record<AgentEnding, string>> = {
  exited: "the agent has stopped",
  silent: "silent for too long: the agent is being ended",
  "out-of-time": "out of time: the agent is being ended",
  "killed-by-person": "killed by a person: the agent is being ended",
  "gated-by-person": "left to a person: the agent is being ended",
  stopped: "the run stops: the agent is being ended",
  "failed-to-start": "the agent did not start",
};

/** The second line of a worker: what it says, which is a claim, or what loopdash knows, which is not. */
export interface Saying {
  readonly text: string;
  readonly tone: Tone;
}

/** What is said, in at most `width` columns. A claim is quoted, and stays so where it is cut. */
export function sayingText({ text, tone }: Saying, width: number): string {
  return tone === "claim" ? `"${cut(text, width - 2)}"` : cut(text, width);
}

/** What to say of a try. Words of the agent come as a claim; facts never do. */
export function sayingOf(attempt: Attempt): Saying {
  if (attempt.killing !== undefined && attempt.agent?.endedAt === undefined)
    return { text: ENDING[attempt.killing], tone: "bad" };
  if (attempt.waiting !== undefined) return { text: displayText(attempt.waiting), tone: "person" };
  const since = attempt.step?.startedAt ?? attempt.agent?.launchedAt;
  const spoken = attempt.lastLine !== undefined && since !== undefined && (attempt.lastOutputAt ?? 0) >= since;
  if (spoken && attempt.lastLine !== undefined) return { text: displayText(attempt.lastLine), tone: "claim" };
  if (attempt.change !== undefined) {
    const { files, additions, deletions } = attempt.change;
    return { text: `+${additions} −${deletions} in ${plural(files, "file")}`, tone: "plain" };
  }
  if (attempt.agent?.endedAt !== undefined) return { text: "collecting the change", tone: "waiting" };
  if (attempt.agent !== undefined) return { text: "no output yet", tone: "waiting" };
  return { text: attempt.worktree === undefined ? "making a worktree" : "preparing the worktree", tone: "waiting" };
}

/** One step of the finish line, as far as this try has come. */
export type StepMark = "passed" | "running" | "ahead";

/** How far a try has come on its finish line. */
export function trackOf(attempt: Attempt, steps: number): readonly StepMark[] {
  const passed = new Set(attempt.passed.map((p) => p.index));
  return Array.from({ length: steps }, (_, i) => {
    if (attempt.step?.index === i) return "running";
    return passed.has(i) ? "passed" : "ahead";
  });
}

export const MARKS: Readonly<Record<StepMark, { readonly glyph: string; readonly tone: Tone }>> = {
  passed: { glyph: "✔", tone: "good" },
  running: { glyph: "▸", tone: "running" },
  ahead: { glyph: "·", tone: "waiting" },
};

/** Why the try before this one ended, or undefined for a first try. */
export function lastFailure(ticket: TicketState): string | undefined {
  const past = ticket.history.at(-1);
  if (past === undefined) return undefined;
  const summary = displayText(past.summary);
  return `try ${past.n} ${past.outcome}${summary === "" ? "" : `: ${summary}`}`;
}
