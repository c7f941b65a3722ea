import type { RunState } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { vecItems } from "../../domain/values/vec.ts";

/** A step that is left to a person. */
export interface LeftStep {
  readonly ticket: TicketId;
  readonly step: string;
}

/** Every recorded step that is left to a person, in the order of the plan. */
export function leftSteps(run: RunState): readonly LeftStep[] {
  return [...vecItems(run.tickets)].flatMap(({ id, phase, humanStep }: TicketState) =>
    phase === "human-gated" && humanStep !== undefined ? [{ ticket: id, step: humanStep }] : [],
  );
}

/** The step that a key copies: the selected ticket's, else the first. */
export function stepToCopy(run: RunState, selected: TicketId | undefined): LeftStep | undefined {
  const steps = leftSteps(run);
  return steps.find(({ ticket }) => ticket === selected) ?? steps[0];
}
