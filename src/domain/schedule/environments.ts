import { type StepSpec, stepName } from "../batch/step-spec.ts";
import { isLandedNotLive } from "../run/live-check.ts";
import type { RunState } from "../run/state.ts";
import type { TicketId } from "../values/ids.ts";
import { vecItems } from "../values/vec.ts";
import { plannedTicket } from "./plan.ts";

type Finish = readonly StepSpec[];

/** True if a finish line checks environment `before` ahead of environment `after`: dev ahead of prod. */
export function isCheckedAhead(finishes: readonly Finish[], before: string, after: string): boolean {
  return finishes.some((finish) => {
    const environments = finish.map((step) => (step.step === "verify" ? step.environment : undefined));
    const at = environments.indexOf(before);
    return at !== -1 && environments.includes(after, at + 1);
  });
}

/**
 * The reason why a `verify` step of a ticket must not run now, in words: on the same base, another ticket's check of an earlier
 * environment fails. So nothing goes on to prod while dev fails. Undefined if it may run.
 */
export function heldByEnvironment(state: RunState, id: TicketId, step: StepSpec): string | undefined {
  if (step.step !== "verify" || step.environment === undefined) return undefined;
  const { repo, finish } = plannedTicket(state.plan, id);
  for (const ticket of vecItems(state.tickets)) {
    const { live } = ticket;
    if (live === undefined || live.waitsFor !== undefined || live.untold || ticket.id === id || !isLandedNotLive(ticket))
      continue;
    const other = plannedTicket(state.plan, ticket.id);
    const failing = other.finish.find((each) => each.step === "verify" && stepName(each) === live.check);
    if (other.repo !== repo || failing?.step !== "verify" || failing.environment === undefined) continue;
    if (isCheckedAhead([finish, other.finish], failing.environment, step.environment))
      return describeHold(stepName(step), { failing: stepName(failing), ticket: ticket.id });
  }
  return undefined;
}

/** A held step in words. */
export function describeHold(step: string, { failing, ticket }: { readonly failing: string; readonly ticket: TicketId }): string {
  return `${step} waits: ${failing} of ${ticket} fails on the same base`;
}
