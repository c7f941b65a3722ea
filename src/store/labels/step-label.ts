import { type StepKind, type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import { displayText } from "../display-text.ts";

/** A step as people name it: `check tests`, `merge`. */
export function stepLabel(kind: StepKind, name: string): string {
  return name === kind || name === "" ? kind : `${kind} ${displayText(name)}`;
}

/** A step of the finish line by its own name. */
export function specLabel(spec: StepSpec): string {
  return stepLabel(spec.step, stepName(spec));
}
