import { builtText } from "../domain/results/built.ts";
import type { OracleEvidence, TicketEvidence } from "../domain/run/oracle-evidence.ts";
import type { RunState } from "../domain/run/state.ts";
import type { Phase, TicketState } from "../domain/run/ticket-state.ts";
import type { OracleState } from "../domain/run/verdict-state.ts";
import { plannedTicket } from "../domain/schedule/plan.ts";
import type { TicketId } from "../domain/values/ids.ts";
import { vecItems } from "../domain/values/vec.ts";

/** The oracle's evidence of a ticket beside the engine's state. */
export interface OracleComparison {
  readonly id: TicketId;
  /** The oracle's evidence; absent if it is unknown. */
  readonly said?: TicketEvidence["state"];
  /** The remaining step, by the oracle. */
  readonly step?: string;
  /** What is built of a ticket that the engine holds for human-gated. */
  readonly built?: string;
  /** A person's last act on the ticket in the tracker. */
  readonly act?: string;
  /** The evidence that the oracle would give if the engine is right. */
  readonly believed: TicketEvidence["state"];
  readonly phase: Phase;
  /**
   * `moved`: the engine has gone on since the oracle was asked, so the two may differ. `differs`: they differ without that
   * reason. `unknown`: the oracle's evidence is unknown.
   */
  readonly is: "agreed" | "moved" | "differs" | "unknown";
}

/**
 * Compares the oracle's evidence with the engine's state, in batch order. If the evidence is not of the last judgement, that
 * judgement's own counts and list of open tickets count, as far as they go.
 */
export function compare(run: RunState, evidence: OracleEvidence | undefined): readonly OracleComparison[] {
  const last = run.oracle.last;
  const kept = evidence !== undefined && isAbout(evidence, last) ? evidence : undefined;
  const named = new Map<TicketId, TicketEvidence>(
    kept === undefined ? impliedBy(last, run) : kept.tickets.map((ticket) => [ticket.id, ticket]),
  );
  const askedAt = kept?.askedAt ?? (last === undefined ? 0 : last.at - last.durationMs);
  return [...vecItems(run.tickets)].map((ticket) => ({
    ...comparison(ticket, named.get(ticket.id), askedAt),
    ...(ticket.phase === "human-gated" && { built: builtText(ticket, plannedTicket(run.plan, ticket.id)) }),
  }));
}

/** True if kept evidence agrees with the last judgement: its counts, and the open tickets that it names. */
export function isAbout({ askedAt, tickets, more }: OracleEvidence, last: OracleState["last"]): boolean {
  if (last === undefined || last.verdict === "unjudged" || askedAt > last.at) return false;
  const { done, gated, open } = last.counts;
  const ids = tickets.filter(({ state }) => state === "open").map(({ id }) => id);
  const gates = tickets.filter(({ state }) => state === "human-gated").length;
  const whole = more > 0 || (ids.length === open && gates === gated);
  const named = last.open.slice(0, more > 0 ? ids.length : last.open.length);
  return whole && tickets.length + more === done + gated + open && named.every((id, i) => ids[i] === id);
}

/**
 * The state of each ticket, as far as a judgement's counts and its list of open tickets imply it: if it names all open ones, and its counts
 * know only one kind of others, the others are of that kind.
 */
function impliedBy(last: OracleState["last"], { tickets }: RunState): readonly (readonly [TicketId, TicketEvidence])[] {
  if (last === undefined || last.verdict === "unjudged") return [];
  const { done, gated, open } = last.counts;
  const named = new Set(last.open);
  const ids = [...vecItems(tickets)].map(({ id }) => id);
  const isWhole = named.size === open && done + gated + open === ids.length && (done === 0 || gated === 0);
  const others = isWhole ? ids.filter((id) => !named.has(id)) : [];
  const state = gated === 0 ? "done" : "human-gated";
  return [...last.open.map((id) => [id, { id, state: "open" }] as const), ...others.map((id) => [id, { id, state }] as const)];
}

function comparison(ticket: TicketState, said: TicketEvidence | undefined, askedAt: number): OracleComparison {
  const believed: OracleComparison["believed"] =
    ticket.phase === "done" || ticket.phase === "human-gated" ? ticket.phase : "open";
  const { phase, tracked } = ticket;
  const id = { id: ticket.id, act: tracked?.lastAct?.text };
  if (said === undefined) return { ...id, phase, believed, is: "unknown" };
  const compared = { ...id, phase, said: said.state, believed, ...(said.step === undefined ? {} : { step: said.step }) };
  if (said.state === believed) return { ...compared, is: "agreed" };
  return { ...compared, is: hasMoved(ticket, askedAt) ? "moved" : "differs" };
}

/** True if the engine changed a ticket after that time, or is updating the tracker now. */
function hasMoved({ endedAt = 0, attempt, history, gate, tracked }: TicketState, since: number): boolean {
  if (attempt?.step?.kind === "assert" || gate?.writing === true) return true;
  return Math.max(endedAt, attempt?.startedAt ?? 0, history.at(-1)?.endedAt ?? 0, tracked?.lastAct?.at ?? 0) >= since;
}

/** Counts the tickets by comparison; together they are the whole batch. */
export function countComparisons(all: readonly OracleComparison[]): Readonly<Record<OracleComparison["is"], number>> {
  const counts = { agreed: 0, moved: 0, differs: 0, unknown: 0 };
  for (const { is } of all) counts[is] += 1;
  return counts;
}
