import { withReflection } from "../behaviour/reflective-log.ts";
import type { Evidence } from "./attempt-fact.ts";
import type { EventOf } from "./event.ts";
import type { Attempt, TicketState } from "./ticket-state.ts";

/** The change that an attempt has left. */
export function capturedChange(event: EventOf<"change-captured">): Pick<Attempt, "change" | "elsewhere" | "reflected"> {
  const { tip, files, additions, deletions, elsewhere, reflected } = event;
  return { change: { tip, files, additions, deletions }, ...(elsewhere && { elsewhere }), ...(reflected && { reflected }) };
}

/** The reflective log of a ticket after one of its attempts has ended. One that only read checks, or was about a plan, is no attempt at the work. */
export function reflectionsAfter(
  { reflections = [] }: TicketState,
  attempt: Attempt,
  event: EventOf<"attempt-ended">,
  { evidence, steps }: { readonly evidence: Evidence | undefined; readonly steps: number },
): Pick<TicketState, "reflections"> {
  if (event.readOnly || event.unplanned || attempt.isPlanning || attempt.wall !== undefined) return {};
  const { n, signals, reflected, change, passed } = attempt;
  const { at, outcome } = event;
  const ended = { n, at, outcome, evidence, signals, changed: reflected, files: change?.files ?? 0, steps };
  return { reflections: withReflection(reflections, { ...ended, passedSteps: passed.length }) };
}
