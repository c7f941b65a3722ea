import { createHash } from "node:crypto";
import type { AttemptRef } from "../values/ids.ts";
import { plainLines } from "../values/text.ts";

/** Plans of one ticket that are asked for before it is left to a person. */
export const MOST_PLANS = 2;

/** Characters of a plan, its lines, and the characters of each. */
export const PLAN_CHARS = 8_000;
const PLAN_LINES = 200;
const LINE_CHARS = 500;

/** Facts of a plan, which an attempt of its own makes before anything is changed. */
export type PlanFact =
  /** The agent of this attempt is asked for a plan alone: what it changes is thrown away. */
  | ({ readonly type: "plan-asked" } & AttemptRef)
  /** A plan is to be judged. An attempt that judges the plan of an earlier one repeats this fact, and starts no agent. */
  | ({ readonly type: "plan-written"; readonly digest: string; readonly text: string } & AttemptRef)
  /** The reviewer's verdict, or that there is no plan. `summary` is one line for people; `findings` are for the next agent. */
  | ({
      readonly type: "plan-judged";
      readonly ok: boolean;
      readonly summary: string;
      /** Present if it was refused, and bounded (see Evidence). */
      readonly findings?: string;
      /** Of the judged plan; absent if there is none. */
      readonly digest?: string;
    } & AttemptRef);

/** The plan of a ticket. */
export interface TicketPlan {
  readonly state: "written" | "approved" | "refused";
  /** The attempt that wrote or judged it last. */
  readonly attempt: number;
  /** Plans that were refused, or missing, since a person last retried or rewrote the ticket. */
  readonly refusals: number;
  /** Its words, bounded and safe for a terminal; absent if it was refused. */
  readonly text?: string;
  readonly digest?: string;
  /** The last refusal, in one line. */
  readonly summary?: string;
}

/** The words of an agent's plan, bounded and safe for a terminal. Empty if it says nothing. */
export function planText(said: string): string {
  const text = plainLines(said, { maxLines: PLAN_LINES, maxLength: LINE_CHARS }).join("\n").trim();
  return text.length <= PLAN_CHARS
    ? text
    : `${text.slice(0, PLAN_CHARS - 60)}\n[… ${text.length - PLAN_CHARS + 60} characters cut …]`;
}

/** The identity of a plan: of the words that the reviewer reads. */
export function planDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A ticket's plan after a person has retried it: what was approved stays so, and its refusals are counted again from zero. */
export function planAfterRetry({ plan }: { readonly plan?: TicketPlan }): { readonly plan?: TicketPlan } {
  return plan === undefined || plan.state === "refused" ? {} : { plan: { ...plan, refusals: 0 } };
}
