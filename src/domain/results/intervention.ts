/**
 * Classes of human input (see docs/use/interventions.md): I1 unblock or answer · I2 steer · I3 harness fix · I4 manual code or merge
 * · I5 kill, restart or resume by hand · I6 cap raised or denied action approved · I7 tracker or live state corrected · I8
 * waiver.
 */
export type InterventionClass = "I1" | "I2" | "I3" | "I4" | "I5" | "I6" | "I7" | "I8";

/** The classes in words. */
export const INTERVENTION_WORDS: Readonly<Record<InterventionClass, string>> = {
  I1: "unblocked or answered",
  I2: "steered",
  I3: "repaired the harness",
  I4: "wrote code or merged by hand",
  I5: "killed, stopped or resumed",
  I6: "raised a cap or allowed what was denied",
  I7: "corrected the tracker or live state",
  I8: "waived a check",
};

const WORK: ReadonlySet<InterventionClass> = new Set(["I1", "I4", "I7"]);

/** `work` if an input of this class did the tickets' work; `harness` if it tended the machinery. */
export function interventionKind(interventionClass: InterventionClass): "work" | "harness" {
  return WORK.has(interventionClass) ? "work" : "harness";
}

export interface Intervention {
  readonly at: number;
  readonly class: InterventionClass;
  readonly target: string;
  readonly note: string;
  /** A person noted it afterwards. */
  readonly noted?: true;
  /** The engine saw what the person did outside loopdash. */
  readonly observed?: true;
}

/** Inputs of one class on one target within this time are one decision. Milliseconds. */
export const MERGE_WINDOW_MS = 10 * 60_000;

/**
 * Appends an input to the list, unless it belongs to a decision that is already counted. Inputs are merged within the window,
 * unless a person noted them: each of those is a decision of its own.
 */
export function countIntervention(list: readonly Intervention[], next: Intervention): readonly Intervention[] {
  if (next.noted) return [...list, next];
  const last = list.findLast((i) => i.class === next.class && i.target === next.target && !i.noted);
  if (last !== undefined && next.at - last.at <= MERGE_WINDOW_MS) return list;
  return [...list, next];
}
