import { judge } from "../../oracle/definition.ts";
import { CannotJudge } from "../../oracle/shape.ts";
import { parseTicketText } from "../../oracle/ticket-file.ts";
import { parseTicketFile } from "../../src/adapters/tracker/ticket-file.ts";

type Reading = { readonly id: string; readonly state: string; readonly step?: string } | "cannot judge" | "no ticket";

/** What the oracle makes of one file, judged as a batch of that one ticket. */
export function oracleReading(text: string): Reading {
  try {
    const ticket = parseTicketText("T-1.md", text);
    if (ticket === undefined) return "no ticket";
    const verdict = judge([ticket], [ticket.id]);
    return verdict.verdict === "unjudged" ? "cannot judge" : (verdict.evidence[0] ?? "cannot judge");
  } catch (cause) {
    if (cause instanceof CannotJudge) return "cannot judge";
    throw cause;
  }
}

/** What the tracker makes of the same file. */
export function trackerReading(text: string): Reading | { readonly refused: string } {
  const { ticket, problems } = parseTicketFile("T-1.md", text);
  if (ticket === undefined) {
    return problems.length === 0 ? "no ticket" : { refused: problems.map((p) => p.why).join("; ") };
  }
  const { id, state } = ticket;
  return { id, state: state.as, ...(state.as === "human-gated" && { step: state.step }) };
}
