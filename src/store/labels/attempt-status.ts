import type { StepSpec } from "../../domain/batch/step-spec.ts";
import type { AgentEnding } from "../../domain/run/attempt-fact.ts";
import type { Attempt, RunningStep } from "../../domain/run/ticket-state.ts";
import { plural } from "../../domain/values/text.ts";
import { displayText } from "../format.ts";
import type { AttemptMark } from "../ticket-log/attempts.ts";
import { awaitedStep, isBeingEnded, passedSteps, progressParts } from "./progress-label.ts";
import { questionLabel, STYLES, type Style, specLabel, stepLabel, type Tone, toned } from "./tone.ts";

/** The reason why an attempt is being ended. */
const CAUSE: Readonly<Record<AgentEnding, string>> = {
  exited: "the agent has stopped",
  silent: "silent for too long",
  "out-of-time": "out of time",
  "over-quota": "wrote too much",
  "killed-by-person": "killed by a person",
  "gated-by-person": "left to a person",
  remedied: "ended for its behaviour",
  "closed-by-person": "closed by a person",
  stopped: "the run stops",
  "failed-to-start": "the agent did not start",
};

/** The second line of a worker: its own words, which are a claim, or facts that loopdash knows. */
export interface StatusLine {
  readonly text: string;
  readonly tone: Tone;
  /** The described step begins at this time (milliseconds since the epoch); the text ends with a countdown to it. */
  readonly from?: number;
  /** The text in parts, the most important first: a narrow line has the first of them. */
  readonly parts?: readonly string[];
  /** The step whose command runs: the text is its progress, with a clock (`progressParts`). */
  readonly running?: RunningStep;
}

/** The inputs beside the attempt: the ticket's finish line, and the reviewer's name. */
export interface StatusLineOptions {
  readonly finish: readonly StepSpec[];
  readonly reviewer: string;
}

/** The status line of an attempt. The agent's words are a claim; facts never are. */
export function statusLine(attempt: Attempt, options: StatusLineOptions): StatusLine {
  const known = engineStatus(attempt, options);
  if (known !== undefined) return known;
  const since =
    attempt.step?.part?.startedAt ?? attempt.step?.startedAt ?? attempt.agent?.launchedAt ?? attempt.preparing?.startedAt;
  const spoken = attempt.lastLine !== undefined && since !== undefined && (attempt.lastOutputAt ?? 0) >= since;
  if (spoken && attempt.lastLine !== undefined) return { text: displayText(attempt.lastLine), tone: "claim" };
  if (attempt.change !== undefined) {
    const { files, additions, deletions } = attempt.change;
    return { text: `+${additions} −${deletions} in ${plural(files, "file")}`, tone: "plain" };
  }
  if (attempt.agent?.endedAt !== undefined)
    return { text: attempt.isPlanning ? "reading its plan" : "collecting the change", tone: "waiting" };
  if (attempt.agent !== undefined) return { text: "no output yet", tone: "waiting" };
  if (attempt.preparing !== undefined) return { text: displayText(attempt.preparing.command), tone: "waiting" };
  return { text: attempt.worktree === undefined ? "making a worktree" : "preparing the worktree", tone: "waiting" };
}

/** All that is known of an attempt while the journal cannot be written. */
const HELD = "nothing of it runs: the journal cannot be written";

/** Facts that count more than anything printed: the reason why an attempt is being ended, or what it waits for. */
function engineStatus(attempt: Attempt, { finish, reviewer }: StatusLineOptions): StatusLine | undefined {
  if (attempt.isHeld) return { text: HELD, tone: "waiting" };
  if (attempt.killing !== undefined && isBeingEnded(attempt)) {
    const what = attempt.slotLeftAt === undefined ? "the agent" : "its finish line";
    return { text: `${CAUSE[attempt.killing]}: ending ${what}`, tone: "bad" };
  }
  const { asked, retried, step, waiting } = attempt;
  if (waiting !== undefined) return { text: displayText(waiting), tone: "person" };
  if (asked !== undefined) {
    const what = step === undefined ? questionLabel(asked.question) : stepLabel(step.kind, step.name);
    return { text: `${what}: asking ${reviewer}`, tone: "running" };
  }
  // The step's name stands beside it.
  if (retried !== undefined)
    return { text: `transient '${displayText(retried.transient)}', retry`, tone: "waiting", from: retried.until };
  if (step?.part !== undefined) return { text: progressParts(step).join(" · "), tone: "running", running: step };
  const turn = awaitedStep(attempt, finish);
  return turn && { text: `waits for its turn: ${specLabel(turn)}`, tone: "waiting" };
}

/** The progress of an attempt on its finish line. */
export function attemptMarks(attempt: Attempt, finish: readonly StepSpec[]): readonly AttemptMark[] {
  const passed = passedSteps(attempt, finish);
  return finish.map((_, i) => {
    if (attempt.step?.index === i) return "running";
    if (attempt.passed.some(({ index, notNeeded }) => index === i && notNeeded)) return "not-needed";
    return passed.has(i) ? "passed" : "ahead";
  });
}

/** The style of a step, by its outcome. */
export const STEP_STYLES: Readonly<Record<AttemptMark, Style>> = {
  claimed: toned(STYLES.finishing, "claim"),
  passed: STYLES.done,
  "not-needed": STYLES.notNeeded,
  failed: STYLES.failed,
  running: STYLES.step,
  waits: STYLES.heldUp,
  held: STYLES.heldUp,
  ahead: STYLES.waits,
  unreached: STYLES.unreached,
  unseen: STYLES.unknown,
};
