import { evidenceLine, evidenceOfGate } from "../../domain/results/heal-results.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import { keptWorkLines } from "../../domain/run/work-to-keep.ts";
import type { RunId, TicketId } from "../../domain/values/ids.ts";

const BY = {
  blocker: "an upheld blocker",
  forge: "its forge",
  zone: "a danger zone",
  behaviour: "a failed gate of its agent's behaviour",
  person: "a person",
} as const;

/** The note in the tracker of a ticket that is left to a person: who gated it, and what was built. */
export function gateNote(state: RunState, run: RunId, id: TicketId): string {
  const ticket = ticketById(state, id);
  const { gate, mergedSha } = ticket;
  const built = mergedSha === undefined ? "" : `; what was built landed as ${mergedSha}`;
  const left = keptWorkLines(ticket).map((line) => `; ${line}`);
  const evidence = gate?.by === "blocker" ? evidenceOfGate(state, id, gate.step) : [];
  const shown = evidence.map((one) => `; evidence: ${evidenceLine(one)}`);
  return `gated by ${BY[gate?.by ?? "person"]} in run ${run}${built}${left.join("")}${shown.join("")}`;
}
