import type { ForgeRequest } from "../forge/forge-request.ts";
import type { TicketPullRequest } from "../forge/pull-request-fact.ts";
import { failedNames } from "../forge/seen.ts";
import { vecAt } from "../values/vec.ts";
import { findLanding } from "./carry-over.ts";
import type { Command } from "./command.ts";
import type { RunFact } from "./event.ts";
import { isSameRequest } from "./reduce-forge-request.ts";
import type { RunState } from "./state.ts";
import type { TicketState } from "./ticket-state.ts";

/** A command that asks something of the forge. */
type ForgeCommand = Extract<Command, { type: "rerun-checks" | "request-review" }>;

/** Why a command of this kind is refused for a ticket, whatever the forge says; undefined if the forge can be asked. */
export function whyNoForgeRequest(ticket: TicketState, kind: ForgeRequest["kind"]): string | undefined {
  const { id, attempt, pullRequest } = ticket;
  if (ticket.ci !== undefined) return `the change of ${id} lands on its branch, not by a pull request`;
  if (pullRequest?.number === undefined) return `${id} has no pull request`;
  const name = `pull request #${pullRequest.number}`;
  if (findLanding(ticket) !== undefined || attempt?.merge !== undefined) return `${name} has landed`;
  return kind === "rerun" ? whyNoRerun(pullRequest, name) : undefined;
}

function whyNoRerun({ seen, requests = [] }: TicketPullRequest, name: string): string | undefined {
  if (seen === undefined) return `the checks of ${name} have not been read yet`;
  if (failedNames(seen).length === 0) return `no check of ${name} has failed`;
  return requests.some((each) => each.kind === "rerun") ? `its failed checks are being started again already` : undefined;
}

/** Turns a person's command to the forge into facts, or into a refusal with its reason. */
export function admitForgeRequest(
  state: RunState,
  command: ForgeCommand,
  refuse: (reason: string) => readonly RunFact[],
): readonly RunFact[] {
  const { ticket: id } = command;
  const index = Object.hasOwn(state.plan.index, id) ? state.plan.index[id] : undefined;
  if (index === undefined) return refuse(`there is no ticket ${id} in this batch`);
  const ticket = vecAt(state.tickets, index);
  const why = whyNoForgeRequest(ticket, command.type === "rerun-checks" ? "rerun" : "review");
  if (why !== undefined) return refuse(why);
  const { number, head, seen, requests = [] } = ticket.pullRequest ?? {};
  if (number === undefined || head === undefined) return refuse(`${id} has no pull request`);
  const request: ForgeRequest =
    command.type === "request-review"
      ? { kind: "review", login: command.login }
      : { kind: "rerun", head, names: seen === undefined ? [] : failedNames(seen) };
  if (requests.some((each) => isSameRequest(each, request))) return refuse("the forge is being asked already");
  return [{ type: "forge-request-started", ticket: id, number, request }];
}
