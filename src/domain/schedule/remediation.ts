import { accountName, allAccounts } from "../batch/party.ts";
import { type RemedySpec, remediationsFor } from "../batch/remedy-spec.ts";
import { whyNoNudge } from "../behaviour/nudge.ts";
import { chooseRemedy, describeSkipped, type RemedyChoice } from "../behaviour/remedy.ts";
import { GATES, type GateName } from "../behaviour/signals.ts";
import { discoveredSince } from "../outbox/discovery.ts";
import { type CheckedWork, type RemedyFact, remedyValue } from "../run/remedy-fact.ts";
import type { RunState } from "../run/state.ts";
import type { Attempt, TicketState } from "../run/ticket-state.ts";
import { vecAt } from "../values/vec.ts";
import { currentAccount } from "./accounts.ts";
import { attemptsAt } from "./stop-conditions.ts";

/** When the policy is asked: while the agent works, or once its attempt has failed for another reason. */
export type RemedyMoment = "at-work" | "failed";

/**
 * The remediation that is due for the running attempt at the ticket at `index`; undefined if none is. An attempt is remedied once, beside
 * what its agent is told, and only if its agent wrote it. If it fails although its agent was told, the policy goes on; so it does if a gate
 * of which its agent was told has failed once more (`failedAgain`). A change in the finish line is judged first: no signal decides whether it lands.
 */
export function remediationAt(
  state: RunState,
  index: number,
  moment: RemedyMoment,
  failedAgain: ReadonlySet<GateName> = new Set(),
): RemedyFact | undefined {
  const ticket = vecAt(state.tickets, index);
  const { attempt } = ticket;
  if (attempt?.agent === undefined || !isRemediable(state, ticket, attempt)) return undefined;
  if (moment === "at-work" && attempt.agent.endedAt !== undefined) return undefined;
  for (const gate of failedGates(ticket, attempt, { moment, failedAgain })) {
    const attemptsLeft = attemptsAt(state, index) - ticket.failures - 1;
    const spec = state.batch.behaviour ?? {};
    const past = recentRemedies(ticket);
    const account = nextModel(state, ticket);
    const discoveriesLeft = state.batch.limits.discoveries - discoveredSince(state);
    const noNudge = whyNotTold(state, attempt, moment);
    const canEscalate = account !== undefined;
    const choice = chooseRemedy(spec, { gate, past, attemptsLeft, canEscalate, noNudge, discoveriesLeft });
    if (choice.action !== "none")
      return remedyFact(ticket, attempt, {
        gate,
        choice,
        moment,
        to: escalation(state, account),
        bound: describeRemedyBound(spec, past.length, attemptsLeft),
      });
  }
  return undefined;
}

function isRemediable({ stage }: RunState, { gate, closedByPerson }: TicketState, attempt: Attempt): boolean {
  const isEnding = attempt.killing !== undefined || gate !== undefined || closedByPerson !== undefined;
  return stage === "working" && attempt.isRemedied !== true && !isEnding;
}

function whyNotTold({ batch }: RunState, { guard }: Attempt, moment: RemedyMoment): string | undefined {
  if (moment === "failed") return "its agent has stopped";
  return whyNoNudge(batch) ?? (guard?.dead === undefined ? undefined : "its guard is dead");
}

function failedGates(
  { remedies = [] }: TicketState,
  { n, signals }: Attempt,
  { moment, failedAgain }: { readonly moment: RemedyMoment; readonly failedAgain: ReadonlySet<GateName> },
): readonly GateName[] {
  if (signals === undefined) return [];
  const isOver = (gate: GateName) => moment === "failed" || failedAgain.has(gate);
  const counts = remedies.filter((each) => each.n === n && !(each.action === "nudge" && isOver(each.gate)));
  const isTaken = (gate: GateName) => counts.some((each) => each.gate === gate);
  return GATES.filter((gate) => signals[gate].level === "fail" && !isTaken(gate));
}

/** The remediations since a person last retried the ticket or gave it another text. */
function recentRemedies({ remedies = [], retriedAfter = 0 }: TicketState): NonNullable<TicketState["remedies"]> {
  return remedies.filter(({ n }) => n > retriedAfter);
}

/** The newest work of the ticket whose checks passed, since a person last retried it or gave it another text. */
export function newestCheckedWork({ attempt, history, retriedAfter = 0 }: TicketState): CheckedWork | undefined {
  for (const { n, kept } of [...history.slice(retriedAfter), ...(attempt === undefined ? [] : [attempt])].toReversed())
    if (kept?.checkedFrom !== undefined) return { attempt: n, tip: kept.sha, baseSha: kept.checkedFrom };
  return undefined;
}

/** The account of an escalation, with its name. */
interface Escalation {
  readonly account: number;
  readonly name: string;
}

/** The next account of the agent with another model than the one that the ticket's attempts use; undefined if there is none. */
function nextModel(state: RunState, ticket: TicketState): number | undefined {
  const { agent } = state.batch;
  if (agent.kind === "command") return undefined;
  const accounts = allAccounts(agent);
  const from = escalatedTo(ticket) ?? currentAccount(state, "agent");
  const next = accounts.findIndex(({ model }, account) => account > from && model !== accounts[from]?.model);
  return next < 0 ? undefined : next;
}

function escalation({ batch: { agent } }: RunState, account: number | undefined): Escalation | undefined {
  if (account === undefined || agent.kind === "command") return undefined;
  return { account, name: accountName(allAccounts(agent), account) };
}

/** The account to which a ticket's attempts were escalated, since a person last retried it or gave it another text. */
export function escalatedTo(ticket: TicketState): number | undefined {
  return recentRemedies(ticket).findLast(({ account }) => account !== undefined)?.account;
}

function remedyFact(
  ticket: TicketState,
  attempt: Attempt,
  {
    gate,
    choice: { action, skipped },
    moment,
    to,
    bound,
  }: {
    readonly gate: GateName;
    readonly choice: Exclude<RemedyChoice, { action: "none" }>;
    readonly moment: RemedyMoment;
    readonly to: Escalation | undefined;
    readonly bound: string;
  },
): RemedyFact {
  const from = action === "step-back" ? newestCheckedWork(ticket) : undefined;
  const ended = moment === "at-work" ? `ended attempt ${attempt.n}` : `attempt ${attempt.n} had failed`;
  const act = action === "nudge" ? `left a line for the agent of attempt ${attempt.n}` : ended;
  const before = skipped.length === 0 ? "" : `; skipped ${describeSkipped(skipped)}`;
  return {
    ...{ type: "remediated", ticket: ticket.id, fence: attempt.fence, gate, action },
    was: remedyValue(attempt.signals?.[gate].why ?? ""),
    did: remedyValue(`${act}${before}`),
    now: remedyValue(describeRemedy(action, { from, to })),
    bound,
    from,
    account: action === "escalate" && to ? to.account : undefined,
  };
}

function describeRemedy(
  action: RemedyFact["action"],
  { from, to }: { readonly from: CheckedWork | undefined; readonly to: Escalation | undefined },
): string {
  switch (action) {
    case "nudge":
      return "the attempt goes on, and its agent is told at its next use of a tool";
    case "step-back":
      return from === undefined
        ? "the next attempt starts from the base: no attempt has passed its checks"
        : `the next attempt starts from the change of attempt ${from.attempt}, whose checks passed (${from.tip.slice(0, 7)})`;
    case "split":
      return "the next attempt is asked for the parts of the ticket as tickets of their own";
    case "escalate":
      return `the next attempts use ${to?.name ?? "another model"}`;
    case "gate":
      return "the ticket stays open until a person decides";
  }
}

function describeRemedyBound(spec: RemedySpec, past: number, attemptsLeft: number): string {
  return `remediation ${past + 1} of ${remediationsFor(spec)}, attempts left: ${Math.max(0, attemptsLeft)}`;
}
