import { type AskedReviewer, PARTY_NAMES, type ReviewerParty, reviewerOf } from "../../domain/batch/party.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { type StepKind, type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import type { Question } from "../../domain/run/attempt-fact.ts";
import { displayText } from "../display-text.ts";

/** A step as people name it: `check tests`, `merge`. */
export function stepLabel(kind: StepKind, name: string): string {
  return name === kind || name === "" ? kind : `${kind} ${displayText(name)}`;
}

/** A step of the finish line by its own name. */
export function specLabel(spec: StepSpec): string {
  const label = stepLabel(spec.step, stepName(spec));
  return spec.step === "review" && spec.by === "second" ? `${label} (second reviewer)` : label;
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

/**
 * A reviewer's name for people: its program, with its model if the batch names one. `asked`: a question or an answer; default: one of the
 * first reviewer.
 */
export function reviewerLabel(
  run: { readonly batch: Pick<Batch, ReviewerParty> } | undefined,
  asked: AskedReviewer = {},
): string {
  const party = reviewerOf(asked);
  const spec = run?.batch[party];
  if (spec === undefined || spec.kind === "command") return `the ${PARTY_NAMES[party]}`;
  const { kind, model = kind } = spec;
  const name = displayText(model.startsWith(kind) ? model : `${kind} ${model}`);
  return party === "reviewer" ? name : `${name} (second reviewer)`;
}
