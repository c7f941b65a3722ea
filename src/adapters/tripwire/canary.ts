import type { TicketId } from "../../domain/values/ids.ts";

/** A ticket as it is written down: `state` may be any text. */
export interface CanaryTicket {
  readonly id: TicketId;
  readonly title: string;
  readonly body: string;
  readonly state: string;
  readonly step?: string;
}

export type TrackerKind = "embedded" | "folder";

/** What is wrong with the tracker as a whole. */
export type Damage = "gone" | "half" | "huge" | "changing";

/** What the oracle must say, known from how the canary was made. */
export type Expected =
  | {
      readonly verdict: "done" | "not-done";
      readonly counts: { readonly done: number; readonly gated: number; readonly open: number };
      readonly open: readonly TicketId[];
    }
  | { readonly verdict: "unjudged" }
  /** It may be read at an instant or given up; done it never is. */
  | { readonly verdict: "not-done-or-unjudged" };

/** The tickets as they are for one judgement, and what must be said of them. */
export interface Scene {
  readonly tickets: readonly CanaryTicket[];
  readonly expected: Expected;
}

/** How long ago a tracker was written: just now, some time in the last three months, or some of its files so and some so. */
export const AGES = ["young", "old", "mixed"] as const;
export type Age = (typeof AGES)[number];

/** A tracker whose verdict is known. Judged once for each of its scenes, in order. */
export interface Canary {
  readonly name: string;
  readonly kind: TrackerKind;
  readonly batch: readonly TicketId[];
  readonly scenes: readonly Scene[];
  readonly age: Age;
  readonly damage?: Damage;
}
