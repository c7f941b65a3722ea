import { HumanStep } from "../../domain/run/command.ts";
import type { TrackerState } from "../../domain/run/drift-fact.ts";

/** A state in the format of both local stores. */
export interface StateRecord {
  readonly state: string;
  readonly humanStep?: string | undefined;
}

/** The record as a state, or the reason that it is none. Exact words only: `Done` or `closed` is a problem. */
export function parseRecord(record: StateRecord): TrackerState | { readonly problem: string } {
  if (record.state === "open" || record.state === "done") return { as: record.state };
  if (record.state !== "human-gated") {
    return { problem: `state ${JSON.stringify(record.state.slice(0, 80))} is not one of: open, done, human-gated` };
  }
  if ((record.humanStep ?? "").trim() === "") {
    return { problem: "state human-gated needs humanStep, the exact step that is left to a person" };
  }
  const step = HumanStep.safeParse(record.humanStep);
  return step.success
    ? { as: "human-gated", step: step.data }
    : { problem: "humanStep must be one line of at most 500 characters" };
}

/** The record of a state. Throws if the step is not one line of 1 to 500 well-formed characters. */
export function stateRecord(state: TrackerState): StateRecord {
  if (state.as !== "human-gated") return { state: state.as };
  if (!state.step.isWellFormed()) throw new RangeError("the step holds half a character");
  return { state: state.as, humanStep: HumanStep.parse(state.step) };
}

/** A note as one line of plain text, at most 500 characters. */
export function noteLine(note: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  const plain = note.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
  return plain.trim().slice(0, 500).toWellFormed();
}
