import type { StepSpec } from "../src/domain/batch/step-spec.ts";
import type { AgentEnding } from "../src/domain/event.ts";
import type { Attempt, TicketState } from "../src/domain/state.ts";
import { displayText } from "../src/store/display-text.ts";
import { plural } from "../src/store/format.ts";
import { isBeingEnded, passedSteps, turnOf } from "../src/store/stage-look.ts";
import { specWord } from "../src/store/step-word.ts";
import type { Tone } from "../src/store/tone.ts";
import { cut } from "./fit.ts";

/** Why a try is being ended. */
const CAUSE: Readonly<Record<AgentEnding, string>> = {
  exited: "the agent has stopped",
  silent: "silent for too long",
  "out-of-time": "out of time",
  "killed-by-person": "killed by a person",
  "gated-by-person": "left to a person",
  stopped: "the run stops",
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

/** What to say of a try. Words of the agent come as a claim; facts never do. `finish` is the ticket's finish line. */
export function sayingOf(attempt: Attempt, finish: readonly StepSpec[]): Saying {
  if (attempt.killing !== undefined && isBeingEnded(attempt)) {
    const what = attempt.slotLeftAt === undefined ? "the agent" : "its finish line";
    return { text: `${CAUSE[attempt.killing]}: ${what} is being ended`, tone: "bad" };
  }
  if (attempt.waiting !== undefined) return { text: displayText(attempt.waiting), tone: "person" };
  const turn = turnOf(attempt, finish);
  if (turn !== undefined) return { text: `waits for its turn: ${specWord(turn)}`, tone: "waiting" };
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
export function trackOf(attempt: Attempt, finish: readonly StepSpec[]): readonly StepMark[] {
  const passed = passedSteps(attempt, finish);
  return finish.map((_, i) => {
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
