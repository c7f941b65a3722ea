import type { Intervention } from "../results/intervention.ts";
import { describeChange, type TrackedTicket, type TrackerChange, type TrackerState } from "./drift-fact.ts";
import type { RunEvent } from "./event.ts";

type Drifted = Extract<RunEvent, { type: "tracker-drifted" }>;

/** The state in the tracker after the change. */
export function stateAfter(change: TrackerChange, known: TrackerState): TrackerState {
  switch (change.kind) {
    case "closed":
      return { as: "done" };
    case "reopened":
      return { as: "open" };
    case "gated":
      return { as: "human-gated", step: change.step };
    case "closed-by-commit":
      return { as: "done" };
    default:
      return known;
  }
}

/**
 * The intervention that a person's change of a ticket counts as; undefined if it is none. Reopening a ticket that loopdash had
 * left to a person removes its obstacle (I1). Closing such a ticket means that the person has taken the step, which is no
 * intervention.
 */
export function classifyIntervention(
  change: TrackerChange,
  { state, isSetByPerson }: TrackedTicket,
): Pick<Intervention, "class" | "note"> | undefined {
  if (change.kind === "closed-by-commit" || change.kind === "closed-by-integration") return undefined;
  if (change.kind === "released") return { class: "I1", note: "removed an obstacle: it is no longer on hold in the tracker" };
  const correction = { class: "I7", note: describeChange(change) } as const;
  if (state.as !== "human-gated") return correction;
  if (change.kind === "closed") return undefined;
  if (change.kind !== "reopened" || isSetByPerson) return correction;
  return { class: "I1", note: `removed an obstacle: reopened for work what waited for a person: ${state.step}` };
}

/** True for dependencies that were refused and counted before, and that another change has made possible. */
export function isTakenLater(change: TrackerChange, refused: TrackedTicket["refused"]): boolean {
  if (change.kind !== "dependencies" || change.refused !== undefined || refused === undefined) return false;
  return change.dependsOn.length === refused.length && change.dependsOn.every((id) => refused.includes(id));
}

/** Refused dependencies stay so until the dependencies change again: they are reported once. */
export function refusedAfter(change: TrackerChange, before: TrackedTicket["refused"]): Pick<TrackedTicket, "refused"> {
  const refused = change.kind === "dependencies" ? (change.refused === undefined ? undefined : change.dependsOn) : before;
  return refused === undefined ? {} : { refused };
}

const KEEP_HOLD: ReadonlySet<TrackerChange["kind"]> = new Set(["rewritten", "dependencies", "closed-by-integration"]);

/** A ticket on hold stays so while its words change, and if an integration closes it. */
export function unavailableAfter(
  change: TrackerChange,
  before: TrackedTicket,
): Pick<TrackedTicket, "unavailable" | "unreadable" | "onHold"> {
  if (change.kind === "held") return { unavailable: change.why, onHold: true };
  const isHeld = before.onHold && before.unavailable !== undefined && KEEP_HOLD.has(change.kind);
  if (isHeld) return { unavailable: before.unavailable, onHold: true };
  return change.kind === "vanished" ? { unavailable: vanishedText(change), ...(change.unreadable && { unreadable: true }) } : {};
}

function vanishedText({ why, unreadable }: Extract<TrackerChange, { kind: "vanished" }>): string {
  return unreadable ? `the tracker has it, but it cannot be read: ${why}` : `the tracker lacks it: ${why}`;
}

/** The ticket as last seen, with the part that this change is about. The other parts stay, so that each change is noticed. */
export function seenBy(change: TrackerChange, now: NonNullable<Drifted["now"]>, { words }: TrackedTicket): typeof now {
  if (words === undefined) return now;
  const { revision, titleSha, bodySha, dependsOn } = now;
  if (change.kind === "rewritten") return { ...words, revision, titleSha, bodySha };
  if (change.kind === "dependencies" && change.refused === undefined)
    return { ...words, revision, ...(dependsOn !== undefined && { dependsOn }) };
  return { ...words, revision };
}
