import { runsCommand, type StepSpec } from "../../domain/batch/step-spec.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { Attempt } from "../../domain/run/ticket-state.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { formatElapsed } from "../format.ts";
import { questionLabel, specLabel, stepLabel } from "./step-label.ts";
import { type Label, STYLES, toned } from "./tone.ts";

/** The finish line of a ticket; empty if the run is not known yet. */
export function finishOf(run: RunState | undefined, id: TicketId): readonly StepSpec[] {
  return run === undefined ? [] : specOf(run.plan, id).finish;
}

/** The current stage of an attempt. `finish` is the ticket's finish line. */
export function stageOf(attempt: Attempt, finish: readonly StepSpec[]): Label {
  if (attempt.isHeld) return { ...toned(STYLES.heldUp, "waiting"), word: "held" };
  if (isBeingEnded(attempt)) return { ...STYLES.ending, word: "ending" };
  if (attempt.waiting !== undefined) return { ...STYLES.heldUp, word: "merge waits" };
  if (attempt.awaited !== undefined) return { ...STYLES.heldUp, word: "preparing" };
  if (attempt.step !== undefined) return { ...STYLES.finishing, word: stepLabel(attempt.step.kind, attempt.step.name) };
  if (attempt.asked !== undefined) return { ...STYLES.finishing, word: questionLabel(attempt.asked.question) };
  if (attempt.merge?.landed === false) return { ...STYLES.finishing, word: "merge" };
  if (turnOf(attempt, finish) !== undefined) return { ...toned(STYLES.finishing, "waiting"), word: "queued" };
  const next = nextStep(attempt, finish);
  if (next !== undefined) return { ...STYLES.finishing, word: specLabel(next) };
  if (attempt.agent !== undefined) return agentStage(attempt.agent, attempt);
  if (attempt.preparing !== undefined) return { ...STYLES.preparing, word: "preparing" };
  return { ...STYLES.preparing, word: attempt.worktree === undefined ? "worktree" : "prepare" };
}

/** The reason why an attempt cannot land yet, and for how long that has been so; undefined if it waits for nothing. */
export function mergeWait({ waiting, waited }: Attempt, now: number | undefined): string | undefined {
  if (waiting === undefined || waited === undefined || now === undefined) return waiting;
  const end = waited.until === undefined ? "" : ` of at most ${formatElapsed(waited.until - waited.since)}`;
  return `${waiting} (${formatElapsed(now - waited.since)}${end})`;
}

/** The stage of an attempt whose agent is at work, or has left what is not captured yet. */
function agentStage({ endedAt }: NonNullable<Attempt["agent"]>, { isPlanning }: Attempt): Label {
  const style = endedAt === undefined ? STYLES.agent : STYLES.finishing;
  if (isPlanning) return { ...style, word: "plan" };
  return { ...style, word: endedAt === undefined ? "agent" : "collecting" };
}

/** True if the attempt's end was requested and it still runs: its agent, or else its finish line. */
export function isBeingEnded(attempt: Attempt): boolean {
  return attempt.killing !== undefined && attempt.agent?.ending !== attempt.killing;
}

/** The step whose turn an attempt waits for, if any: commands take turns, and so do merges in one repository. */
export function turnOf(attempt: Attempt, finish: readonly StepSpec[]): StepSpec | undefined {
  if (attempt.isHeld || isBeingEnded(attempt)) return undefined;
  if (attempt.step !== undefined || attempt.waiting !== undefined || attempt.merge?.landed === false) return undefined;
  const next = nextStep(attempt, finish);
  return next !== undefined && (runsCommand(next) || next.step === "merge") ? next : undefined;
}

/** Steps of the finish line that an attempt has passed. A landing includes those before it: an earlier attempt passed them. */
export function passedSteps(attempt: Attempt, finish: readonly StepSpec[]): ReadonlySet<number> {
  const landed = attempt.merge?.landed === true ? finish.findIndex(({ step }) => step === "merge") + 1 : 0;
  return new Set([...attempt.passed.map((p) => p.index), ...finish.slice(0, landed).keys()]);
}

/** The next step of the finish line, the last one if all are passed; undefined before there is a change to judge. */
function nextStep(attempt: Attempt, finish: readonly StepSpec[]): StepSpec | undefined {
  if (attempt.change === undefined && attempt.merge === undefined) return undefined;
  const passed = passedSteps(attempt, finish);
  return finish.find((_, i) => !passed.has(i)) ?? finish.at(-1);
}
