import { vecAt } from "../values/vec.ts";
import { awaitsApproval, describeAwaited } from "./approval.ts";
import type { Command } from "./command.ts";
import type { RunFact } from "./event.ts";
import type { RunState } from "./state.ts";

/** Why a change of this ticket cannot be approved, whatever the commit; undefined if one waits for it. */
export function whyNoApproval(state: RunState, id: string): string | undefined {
  const index = Object.hasOwn(state.plan.index, id) ? state.plan.index[id] : undefined;
  if (index === undefined) return `there is no ticket ${id} in this batch`;
  const ticket = vecAt(state.tickets, index);
  if (!awaitsApproval(ticket) || ticket.phase === "done" || ticket.attempt !== undefined)
    return `no change of ${id} waits for an approval: it is ${ticket.phase}`;
  return ticket.gate?.writing === true ? `the gate of ${id} is being recorded; approve it afterwards` : undefined;
}

/** Turns a person's approval of exactly one commit into facts, or into a refusal with its reason. */
export function admitApproval(
  state: RunState,
  { ticket: id, commit }: Extract<Command, { type: "approve" }>,
  refuse: (reason: string) => readonly RunFact[],
): readonly RunFact[] {
  const why = whyNoApproval(state, id);
  if (why !== undefined) return refuse(why);
  const { approval } = vecAt(state.tickets, state.plan.index[id] ?? 0);
  if (approval === undefined) return refuse(`no change of ${id} waits for an approval`);
  if (!approval.commit.startsWith(commit)) return refuse(otherCommit(id, approval.commit, commit));
  const note = `approved ${describeAwaited(approval)}, ${approval.commit.slice(0, 12)}`;
  return [
    { type: "intervention", class: "I6", target: id, note },
    { type: "change-approved", ticket: id, commit: approval.commit, change: approval.change },
  ];
}

/** The reason why a commit is not approved while another one waits. */
export function otherCommit(id: string, waits: string, commit: string): string {
  return `the change of ${id} that waits is ${waits.slice(0, 12)}, and not ${commit.slice(0, 12)}: look at it first`;
}
