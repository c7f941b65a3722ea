import type { OracleEvidence, TicketEvidence } from "../domain/run/oracle-evidence.ts";
import type { Phase, RunState, TicketState } from "../domain/run/state.ts";
import type { OracleState } from "../domain/run/verdict-state.ts";
import type { TicketId } from "../domain/values/ids.ts";
import { vecItems } from "../domain/values/vec.ts";

/** What the oracle said of a ticket beside what the engine holds of it. */
export interface OracleComparison {
  readonly id: TicketId;
  /** Absent where it is not known. */
  readonly said?: TicketEvidence["state"];
  /** The step that is left, by the oracle. */
  readonly step?: string;
  /** What the oracle would have to say, were the engine right. */
  readonly believed: TicketEvidence["state"];
  readonly phase: Phase;
  /**
   * `moved`: the engine has gone on since the oracle was asked, so that the two may differ. `differs`: they may not, and do.
   * `unknown`: the oracle's word is not known.
   */
  readonly is: "agreed" | "moved" | "differs" | "unknown";
}

/**
 * Puts the oracle's evidence beside the engine's state, in batch order. Where the evidence is not of the last judgement, that one's
 * own list of open tickets counts, as far as it goes.
 */
export function compare(run: RunState, evidence: OracleEvidence | undefined): readonly OracleComparison[] {
  const last = run.oracle.last;
  const kept = evidence !== undefined && isOf(evidence, last) ? evidence : undefined;
  const named = new Map<TicketId, TicketEvidence>(
    kept === undefined ? openOnes(last) : kept.tickets.map((ticket) => [ticket.id, ticket]),
  );
  const askedAt = kept?.askedAt ?? (last === undefined ? 0 : last.at - last.durationMs);
  return [...vecItems(run.tickets)].map((ticket) => comparison(ticket, named.get(ticket.id), askedAt));
}

/** Whether kept evidence bears out the last judgement: its counts, and the open tickets that it names. */
export function isOf({ askedAt, tickets, more }: OracleEvidence, last: OracleState["last"]): boolean {
  if (last === undefined || last.verdict === "unjudged" || askedAt > last.at) return false;
  const { done, gated, open } = last.counts;
  const ids = tickets.filter(({ state }) => state === "open").map(({ id }) => id);
  const gates = tickets.filter(({ state }) => state === "human-gated").length;
  const whole = more > 0 || (ids.length === open && gates === gated);
  const named = last.open.slice(0, more > 0 ? ids.length : last.open.length);
  return whole && tickets.length + more === done + gated + open && named.every((id, i) => ids[i] === id);
}

function openOnes(last: OracleState["last"]): readonly (readonly [TicketId, TicketEvidence])[] {
  if (last === undefined || last.verdict === "unjudged") return [];
  return last.open.map((id) => [id, { id, state: "open" }]);
}

function comparison(ticket: TicketState, said: TicketEvidence | undefined, askedAt: number): OracleComparison {
  const believed: OracleComparison["believed"] =
    ticket.phase === "done" || ticket.phase === "human-gated" ? ticket.phase : "open";
  const { id, phase } = ticket;
  if (said === undefined) return { id, phase, believed, is: "unknown" };
  const told = { id, phase, said: said.state, believed, ...(said.step === undefined ? {} : { step: said.step }) };
  if (said.state === believed) return { ...told, is: "agreed" };
  return { ...told, is: hasMoved(ticket, askedAt) ? "moved" : "differs" };
}

/** Whether the engine did something with a ticket after that, or is telling the tracker of it now. */
function hasMoved({ endedAt = 0, attempt, history, gate }: TicketState, since: number): boolean {
  if (attempt?.step?.kind === "assert" || gate?.writing === true) return true;
  return Math.max(endedAt, attempt?.startedAt ?? 0, history.at(-1)?.endedAt ?? 0) >= since;
}

/** How many are what; all of the batch together. */
export function countComparisons(all: readonly OracleComparison[]): Readonly<Record<OracleComparison["is"], number>> {
  const counts = { agreed: 0, moved: 0, differs: 0, unknown: 0 };
  for (const { is } of all) counts[is] += 1;
  return counts;
}
