/**
 * The definition of "done". Pure: the same snapshot and batch always give the same verdict.
 *
 * - The batch names at least one ticket, and none twice.
 * - Every ticket of the batch is in the tracker exactly once. Tickets beyond the batch do not matter, but must be readable.
 * - A ticket is settled if its state is exactly `done`, or exactly `human-gated` with a recorded step that is not blank.
 *   `human-gated` without a step counts as open: nobody knows what is left to do.
 * - A state that is none of the three known words (`Done`, `closed`, `done `, a look-alike letter) is unreadable, not open,
 *   because nobody knows its meaning. Then nothing is judged.
 */

export interface SnapshotTicket {
  readonly id: string;
  /** As the tracker has it, unchanged. */
  readonly state: string;
  readonly step?: string;
}

export interface TicketVerdict {
  readonly id: string;
  readonly state: "done" | "human-gated" | "open";
  /** The recorded step, trimmed; with `human-gated` only. */
  readonly step?: string;
}

export type Verdict =
  | {
      readonly verdict: "done" | "not-done";
      /** One entry per ticket of the batch, in its order. */
      readonly evidence: readonly TicketVerdict[];
      readonly done: number;
      readonly gated: number;
      readonly open: number;
    }
  | { readonly verdict: "unjudged"; readonly problem: string };

const STATES: ReadonlySet<string> = new Set(["open", "done", "human-gated"]);

/** Judges a coherent snapshot of the whole tracker against the ids of the batch. */
export function judge(snapshot: readonly SnapshotTicket[], batch: readonly string[]): Verdict {
  if (batch.length === 0) return unjudged("the batch is empty: there is nothing that could be done");
  if (new Set(batch).size !== batch.length) return unjudged("the batch names a ticket twice");
  const tickets = new Map<string, SnapshotTicket>();
  for (const ticket of snapshot) {
    const name = JSON.stringify(ticket.id);
    if (tickets.has(ticket.id)) return unjudged(`ticket ${name} is in the tracker twice`);
    if (!STATES.has(ticket.state)) {
      const state = JSON.stringify(ticket.state.slice(0, 80));
      return unjudged(`ticket ${name} is in state ${state}, which is none of open, done and human-gated`);
    }
    tickets.set(ticket.id, ticket);
  }
  const evidence: TicketVerdict[] = [];
  for (const id of batch) {
    const ticket = tickets.get(id);
    if (ticket === undefined) return unjudged(`ticket ${JSON.stringify(id)} of the batch is not in the tracker`);
    evidence.push(evidenceOf(ticket));
  }
  return summed(evidence);
}

/** A step of nothing else tells nobody what is left to do. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{C}\u2800]/gu;

function evidenceOf(ticket: SnapshotTicket): TicketVerdict {
  if (ticket.state === "done") return { id: ticket.id, state: "done" };
  const step = ticket.step?.trim() ?? "";
  if (ticket.state === "human-gated" && step.replace(INVISIBLE, "") !== "") return { id: ticket.id, state: "human-gated", step };
  return { id: ticket.id, state: "open" };
}

function summed(evidence: readonly TicketVerdict[]): Verdict {
  const done = evidence.filter((e) => e.state === "done").length;
  const gated = evidence.filter((e) => e.state === "human-gated").length;
  const open = evidence.length - done - gated;
  return { verdict: open === 0 ? "done" : "not-done", evidence, done, gated, open };
}

function unjudged(problem: string): Verdict {
  return { verdict: "unjudged", problem };
}
