import { type StepKind, type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import type { Question } from "../../domain/run/attempt-fact.ts";
import type { RunState } from "../../domain/run/state.ts";
import { displayText } from "../display-text.ts";

/** A step as people name it: `check tests`, `merge`. */
export function stepLabel(kind: StepKind, name: string): string {
  return name === kind || name === "" ? kind : `${kind} ${displayText(name)}`;
}

/** A step of the finish line by its own name. */
export function specLabel(spec: StepSpec): string {
  return stepLabel(spec.step, stepName(spec));
}

/** The name of a question: those of the finish line by their steps, those on a blocker and a plan by their subjects. */
const QUESTIONS: Readonly<Record<Question, string>> = {
  review: "review",
  adversary: "adversary",
  adjudicate: "blocker",
  plan: "plan",
};

export function questionLabel(question: Question): string {
  return QUESTIONS[question];
}

/** The reviewer's name for people: its program, with its model if the batch names one. */
export function reviewerLabel(run: Pick<RunState, "batch"> | undefined): string {
  const reviewer = run?.batch.reviewer;
  if (reviewer === undefined || reviewer.kind === "command") return "the reviewer";
  const { kind, model = kind } = reviewer;
  return displayText(model.startsWith(kind) ? model : `${kind} ${model}`);
}
