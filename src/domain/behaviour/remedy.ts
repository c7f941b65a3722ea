import { actionsFor, type RemedyAction, type RemedySpec, remediationsFor } from "../batch/remedy-spec.ts";
import { plural } from "../values/text.ts";
import type { GateName } from "./signals.ts";

/** A remediation that a ticket has had. */
export interface PastRemedy {
  readonly gate: GateName;
  readonly action: RemedyAction;
}

/** An action that was not possible, and why. */
export interface SkippedRemedy {
  readonly action: RemedyAction;
  readonly why: string;
}

/** The action for a failed gate with those that were skipped before it, or none and the reason. */
export type RemedyChoice =
  | { readonly action: RemedyAction; readonly skipped: readonly SkippedRemedy[] }
  | { readonly action: "none"; readonly why: string };

/** What the policy is asked about. */
export interface FailedGate {
  readonly gate: GateName;
  /** The remediations of the ticket since a person last retried it, oldest first. */
  readonly past: readonly PastRemedy[];
  /** Attempts that the ticket has left once the one under way has failed. */
  readonly attemptsLeft: number;
  /** True if the agent's `fallback` has another model than the one that failed. */
  readonly canEscalate: boolean;
  /** The reason why its agent cannot be told a line; absent: it can. */
  readonly noNudge?: string | undefined;
  /** Tickets that workers may still add to the run. */
  readonly discoveriesLeft: number;
}

/**
 * What the policy does about a failed gate (S3.19). A list is gone through once per ticket: the first action at the first failure of the
 * gate, the next one if the same gate fails again; the last one stays. What is impossible is skipped. Nothing here adds an attempt.
 */
export function chooseRemedy(spec: RemedySpec, failed: FailedGate): RemedyChoice {
  const { gate, past } = failed;
  const actions = actionsFor(spec, gate);
  if (actions.length === 0) return { action: "none", why: "the batch has no action for this gate" };
  const most = remediationsFor(spec);
  if (past.length >= most) return { action: "none", why: `the ticket has had its ${plural(most, "remediation")}` };
  const skipped: SkippedRemedy[] = [];
  for (const action of actions.slice(nextIn(actions, past, gate))) {
    const why = whyNot(action, failed);
    if (why === undefined) return { action, skipped };
    skipped.push({ action, why });
  }
  return { action: "none", why: describeSkipped(skipped) };
}

/** Skipped actions in words: `step-back: no attempt is left`. */
export function describeSkipped(skipped: readonly SkippedRemedy[]): string {
  return skipped.map(({ action, why }) => `${action}: ${why}`).join("; ");
}

/** The place in the list at which the policy goes on. */
function nextIn(actions: readonly RemedyAction[], past: readonly PastRemedy[], gate: GateName): number {
  let next = 0;
  for (const { gate: of, action } of past) {
    const at = of === gate ? actions.indexOf(action, next) : -1;
    if (at >= 0) next = at + 1;
  }
  return Math.min(next, actions.length - 1);
}

function whyNot(action: RemedyAction, { attemptsLeft, canEscalate, noNudge, discoveriesLeft }: FailedGate): string | undefined {
  switch (action) {
    case "nudge":
      return noNudge;
    case "step-back":
      return attemptsLeft > 0 ? undefined : "no attempt is left";
    case "split":
      // One attempt names the parts, and another one does what is left of the ticket.
      if (attemptsLeft < 2) return "it takes two attempts, and fewer are left";
      return discoveriesLeft > 0 ? undefined : "limits.discoveries is used up";
    case "escalate":
      if (attemptsLeft <= 0) return "no attempt is left";
      return canEscalate ? undefined : "fallback has no other model";
    case "gate":
      return undefined;
  }
}
