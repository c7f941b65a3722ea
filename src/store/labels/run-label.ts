import { activeTickets, type RunState } from "../../domain/run/state.ts";
import { listNeeds } from "../../domain/schedule/needs.ts";
import type { ListedRun } from "../run-list.ts";
import type { Connection } from "../ui.ts";
import { firstOutage } from "./progress-label.ts";
import { type Label, STYLES, type Tone, toned } from "./tone.ts";

/**
 * The status of the run at `now` (milliseconds since the epoch). A lost connection is shown as lost, without a guess, unless the
 * run has ended. A replay shows only that it is one: nobody may take it for a run that is working, or has just ended.
 */
export function runLabel(run: RunState | undefined, connection: Connection, now = run?.lastEventAt ?? 0): Label {
  if (connection.state === "replay") return { ...STYLES.replay, word: "REPLAY" };
  return stageLabel(run, connection, now);
}

/** The same without regard to a replay: the status of a run at the replay's position. */
export function stageLabel(run: RunState | undefined, connection: Connection, now: number): Label {
  if (run !== undefined && hasWorkAfterDone(run)) return { ...STYLES.needsYou, word: "TO START" };
  if (run?.end !== undefined) return endLabel(run.end.verdict, run.end.kind);
  if (connection.state === "lost") return { ...STYLES.disconnected, word: "LOST" };
  if (connection.state === "reading" && run === undefined) return { ...STYLES.preparing, word: "READING" };
  if (run === undefined) return { ...STYLES.preparing, word: "CONNECTING" };
  if (run.outages?.journal !== undefined) return { ...STYLES.heldUp, word: "HELD" };
  switch (run.stage) {
    case "stopping":
    case "ended":
      return { ...STYLES.ending, word: "STOPPING" };
    case "judging":
      return { ...STYLES.oracle, word: "JUDGING" };
    case "verifying":
      return { ...STYLES.oracle, word: "VERIFYING" };
    case "healing":
      return { ...toned(STYLES.healed, "running"), word: "HEALING" };
    case "working":
      return workingLabel(run, now);
  }
}

/** True if a person, since the oracle said done, has approved the change of a ticket that was left to them: the next start works on it. */
function hasWorkAfterDone({ end, counts }: RunState): boolean {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return end?.kind === "oracle-done" && counts.done + counts["human-gated"] < total;
}

function endLabel(verdict: string, kind: string): Label {
  if (verdict === "done" && kind === "oracle-done") return { ...STYLES.done, word: "DONE" };
  // The oracle was not asked, or is not believed; that differs from an oracle that could not judge.
  if (kind === "tripwire") return { ...STYLES.failed, word: "TRIPWIRE" };
  if (kind === "interrupted") return { ...STYLES.ending, word: "STOPPED" };
  return verdict === "unjudged" ? { ...STYLES.unjudged, word: "UNJUDGED" } : { ...STYLES.failed, word: "NOT DONE" };
}

function workingLabel(run: RunState, now: number): Label {
  const busy = activeTickets(run).length > 0;
  // A halt ends the run as soon as nothing is under way, paused or not.
  if (run.paused && run.halted === undefined) return { ...STYLES.paused, word: "PAUSED" };
  if (listNeeds(run).length > 0) return { ...STYLES.needsYou, word: "NEEDS YOU" };
  if (!busy && run.backoff !== undefined && now < run.backoff.until) return { ...STYLES.heldUp, word: "HELD" };
  if (!busy && firstOutage(run) !== undefined) return { ...STYLES.heldUp, word: "HELD" };
  if (!busy && run.lastFence === 0 && run.ready.length > 0) return { ...toned(STYLES.preparing, "running"), word: "STARTING" };
  return { ...STYLES.run, word: "RUNNING" };
}

/** The first line of every summary: the verdict and its source. `live`: an engine works on the run, as far as is known. */
export function headline(state: RunState, live = true): string {
  const end = state.end;
  if (end === undefined && !live) return `${STYLES.heldUp.glyph} UNFINISHED`;
  if (end === undefined)
    return listNeeds(state).length > 0 ? `${STYLES.needsYou.glyph} NEEDS YOU` : `${STYLES.run.glyph} RUNNING`;
  if (hasWorkAfterDone(state))
    return `${STYLES.needsYou.glyph} TO START: a person has approved a change since the oracle said done`;
  if (end.kind === "oracle-done") return `${STYLES.done.glyph} DONE, says the oracle`;
  if (end.kind === "not-done") return `${STYLES.failed.glyph} NOT DONE, says the oracle`;
  if (end.kind === "interrupted") return `${STYLES.ending.glyph} STOPPED before the final verdict`;
  if (end.kind === "tripwire") return `${STYLES.failed.glyph} TRIPWIRE: the oracle failed its test; no verdict counts`;
  if (end.kind === "unjudged") return `${STYLES.unjudged.glyph} UNJUDGED: there is no final verdict`;
  return `${STYLES.failed.glyph} FAILED: the engine had to stop`;
}

/** The tone of the headline. */
export function runTone(state: RunState): Tone {
  if (state.end === undefined) return "running";
  if (hasWorkAfterDone(state)) return STYLES.needsYou.tone;
  return state.end.kind === "oracle-done" ? "good" : "bad";
}

/** The status of a listed run. */
export function standingLabel({ standing, verdict }: ListedRun): Label {
  switch (standing) {
    case "at-work":
      return { ...STYLES.run, word: "at work" };
    case "stopped":
      return { ...STYLES.cutOff, word: "stopped" };
    case "engine-gone":
      return { ...STYLES.disconnected, word: "engine gone" };
    case "ended":
      if (verdict === "done") return { ...STYLES.done, word: "done" };
      return verdict === "unjudged" ? { ...STYLES.unjudged, word: "unjudged" } : { ...STYLES.failed, word: "not done" };
  }
}
