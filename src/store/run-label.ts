import { activeTickets, type RunState } from "../domain/run/state.ts";
import type { Tone } from "./tone.ts";
import type { Connection } from "./ui.ts";

/** The answer to "can I leave?", as one glyph and one word. */
export interface RunLabel {
  readonly glyph: string;
  readonly word: string;
  readonly tone: Tone;
}

/**
 * Says how the run stands at `now` (milliseconds since the epoch). What the connection hides is not guessed: a lost one says so,
 * unless the run has ended. A replay says nothing else: nobody may take it for a run that is at work, or has ended just now.
 */
export function runLabel(run: RunState | undefined, connection: Connection, now = run?.lastEventAt ?? 0): RunLabel {
  if (connection.state === "replay") return { glyph: "▷", word: "REPLAY", tone: "person" };
  return stageLabel(run, connection, now);
}

/** The same without a word of where it comes from: how a run stood at the place of a replay. */
export function stageLabel(run: RunState | undefined, connection: Connection, now: number): RunLabel {
  if (run?.end !== undefined) return endWord(run.end.verdict, run.end.kind);
  if (connection.state === "lost") return { glyph: "✕", word: "LOST", tone: "bad" };
  if (connection.state === "reading" && run === undefined) return { glyph: "◌", word: "READING", tone: "waiting" };
  if (run === undefined) return { glyph: "◌", word: "CONNECTING", tone: "waiting" };
  switch (run.stage) {
    case "stopping":
    case "ended":
      return { glyph: "■", word: "STOPPING", tone: "bad" };
    case "judging":
      return { glyph: "◆", word: "JUDGING", tone: "oracle" };
    case "verifying":
      return { glyph: "◆", word: "VERIFYING", tone: "oracle" };
    case "healing":
      return { glyph: "✚", word: "HEALING", tone: "running" };
    case "working":
      return workingWord(run, now);
  }
}

function endWord(verdict: string, kind: string): RunLabel {
  if (verdict === "done" && kind === "oracle-done") return { glyph: "✔", word: "DONE", tone: "good" };
  // The oracle was not asked, or is not believed: that is not an oracle that could not judge.
  if (kind === "tripwire") return { glyph: "✖", word: "TRIPWIRE", tone: "bad" };
  if (kind === "interrupted") return { glyph: "■", word: "STOPPED", tone: "bad" };
  return verdict === "unjudged" ? { glyph: "?", word: "UNJUDGED", tone: "bad" } : { glyph: "✖", word: "NOT DONE", tone: "bad" };
}

function workingWord(run: RunState, now: number): RunLabel {
  // What ended all starts ends the run as soon as nothing is under way: somebody has to mend it.
  if (run.halted !== undefined) return { glyph: "!", word: "NEEDS YOU", tone: "person" };
  const busy = activeTickets(run).length > 0;
  if (run.paused) return { glyph: "⏸", word: "PAUSED", tone: "person" };
  if (!busy && run.backoff !== undefined && now < run.backoff.until) return { glyph: "‖", word: "HELD", tone: "waiting" };
  if (!busy && run.lastFence === 0 && run.ready.length > 0) return { glyph: "◌", word: "STARTING", tone: "running" };
  const stuck = !busy && run.ready.length === 0 && run.counts["human-gated"] + run.counts.stalled > 0;
  return stuck ? { glyph: "!", word: "NEEDS YOU", tone: "person" } : { glyph: "●", word: "RUNNING", tone: "running" };
}
