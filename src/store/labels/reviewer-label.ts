import type { Question } from "../../domain/run/event.ts";
import type { RunState } from "../../domain/run/state.ts";
import { displayText } from "../display-text.ts";

/** What a question is called: those of the finish line as their steps, the ruling on a blocker by its subject. */
const QUESTIONS: Readonly<Record<Question, string>> = { review: "review", adversary: "adversary", adjudicate: "blocker" };

export function questionLabel(question: Question): string {
  return QUESTIONS[question];
}

/** The second model as people name it: its program, with its model where the batch names one. */
export function reviewerLabel(run: Pick<RunState, "batch"> | undefined): string {
  const reviewer = run?.batch.reviewer;
  if (reviewer === undefined || reviewer.kind === "command") return "the reviewer";
  const { kind, model = kind } = reviewer;
  return displayText(model.startsWith(kind) ? model : `${kind} ${model}`);
}
