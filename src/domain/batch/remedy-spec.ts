import { z } from "zod";
import { GATE_LABELS, GATES, type GateName } from "../behaviour/signals.ts";

/** Actions that the engine can take when a gate of an agent's behaviour fails. */
export const REMEDY_ACTIONS = ["nudge", "step-back", "split", "escalate", "gate"] as const;
export type RemedyAction = (typeof REMEDY_ACTIONS)[number];

/** Actions of one list, at most. */
const MOST_ACTIONS = 10;
/** Remediations of one ticket, unless the batch says otherwise, and the most that it may say. */
const REMEDIATIONS = { default: 3, most: 20 };

const Policy = z.union([
  z.enum(["none", ...REMEDY_ACTIONS]),
  z.array(z.enum(REMEDY_ACTIONS)).min(1).max(MOST_ACTIONS).readonly(),
]);

const PolicyPerGate = z.strictObject(
  Object.fromEntries(
    GATES.map((gate) => [gate, Policy.optional().describe(`What to do when ${GATE_LABELS[gate]} fails`)]),
  ) as Readonly<Record<GateName, z.ZodOptional<typeof Policy>>>,
);

/** The policy for all gates, or one for each gate that has one. */
export const OnFail = z
  .union([...Policy.options, PolicyPerGate])
  .describe(
    `What to do when a gate fails, for all gates or by gate: none (default), ${REMEDY_ACTIONS.join(", ")}, or a list of them`,
  );
export type OnFail = z.infer<typeof OnFail>;

export const Remediations = z
  .number()
  .int()
  .min(0)
  .max(REMEDIATIONS.most)
  .describe(`Remediations of one ticket; default: ${REMEDIATIONS.default}`);

/** The part of a batch's `behaviour` that says what happens when a gate fails; absent parts: the defaults. */
export interface RemedySpec {
  readonly onFail?: OnFail | undefined;
  readonly remediations?: number | undefined;
}

/** The actions for a gate in their order; empty if nothing is to be done. */
export function actionsFor({ onFail }: RemedySpec, gate: GateName): readonly RemedyAction[] {
  const policy = typeof onFail === "object" && !Array.isArray(onFail) ? (onFail as z.infer<typeof PolicyPerGate>)[gate] : onFail;
  if (policy === undefined || policy === "none") return [];
  return typeof policy === "string" ? [policy] : (policy as readonly RemedyAction[]);
}

/** True if an action may be taken for any gate. */
export function mayTake(spec: RemedySpec, action: RemedyAction): boolean {
  return GATES.some((gate) => actionsFor(spec, gate).includes(action));
}

/** Remediations that one ticket may have. */
export function remediationsFor({ remediations = REMEDIATIONS.default }: RemedySpec): number {
  return remediations;
}
