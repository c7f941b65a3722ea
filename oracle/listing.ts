import type { SnapshotTicket } from "./definition.ts";
import { CannotJudge, checkedList, checkedObject, checkedText, jsonOf, stepOf, ticketIdOf } from "./shape.ts";

/**
 * Reads the listing of a tracker's program: a JSON object per line for each ticket, then `{"tickets": N}` with their number, which
 * shows that nothing is missing.
 */
export function parseListing(text: string, where: string): readonly SnapshotTicket[] {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new CannotJudge(`${where} is cut off: its last line has no end`);
  const end = checkedObject(jsonOf(lines.pop() ?? "", `the last line of ${where}`), `the last line of ${where}`, ["tickets"]);
  if (end.get("tickets") !== lines.length)
    throw new CannotJudge(`${where} has ${lines.length} tickets, and its last line says ${JSON.stringify(end.get("tickets"))}`);
  return lines.map((line, at) => parseLine(line, `line ${at + 1} of ${where}`));
}

function parseLine(line: string, here: string): SnapshotTicket {
  const required = ["id", "title", "body", "state"];
  const ticket = checkedObject(jsonOf(line, here), here, required, ["step", "repo", "dependsOn", "exclusive", "url", "version"]);
  for (const key of ["title", "body", "repo", "url", "version"])
    if (ticket.has(key)) checkedText(ticket.get(key), `${key} of ${here}`);
  for (const key of ["dependsOn", "exclusive"]) if (ticket.has(key)) checkedList(ticket.get(key), `${key} of ${here}`);
  const step = ticket.has("step") ? stepOf(ticket.get("step"), `step of ${here}`) : "";
  const state = checkedText(ticket.get("state"), `state of ${here}`);
  return { id: ticketIdOf(ticket.get("id"), `id of ${here}`), state, ...(step !== "" && { step }) };
}
