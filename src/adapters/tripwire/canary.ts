import type { TicketId } from "../../domain/values/ids.ts";
import type { TrackerPlace } from "../../ports/oracle.ts";

/** A ticket as it is written to a tracker: `state` may be any text. */
export interface CanaryTicket {
  readonly id: TicketId;
  readonly title: string;
  readonly body: string;
  readonly state: string;
  readonly step?: string;
}

export type TrackerKind = TrackerPlace["kind"];

/** Damage to the tracker as a whole. */
export type Damage = "gone" | "half" | "huge" | "changing";

/** The verdict that the oracle must give, known from how the canary was made. */
export type Expected =
  | {
      readonly verdict: "done" | "not-done";
      readonly counts: { readonly done: number; readonly gated: number; readonly open: number };
      readonly open: readonly TicketId[];
    }
  | { readonly verdict: "unjudged" }
  /** The tracker may be read at some instant or given up; it is never done. */
  | { readonly verdict: "not-done-or-unjudged" };

/** The tickets of one judgement and the expected verdict. */
export interface Scene {
  readonly tickets: readonly CanaryTicket[];
  readonly expected: Expected;
}

/** Ages of a tracker's files: new, up to three months old, or mixed. */
export const AGES = ["young", "old", "mixed"] as const;
export type Age = (typeof AGES)[number];

/** A tracker whose verdict is known. It is judged once for each of its scenes, in order. */
export interface Canary {
  readonly name: string;
  readonly kind: TrackerKind;
  readonly batch: readonly TicketId[];
  readonly scenes: readonly Scene[];
  readonly age: Age;
  readonly damage?: Damage;
}
