import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newTicketText } from "../../src/adapters/tracker/ticket-edit.ts";
import type { Ticket } from "../../src/domain/batch/schema.ts";

/** A folder of open tickets, as Markdown files. */
export function writeTickets(folder: string, tickets: readonly Ticket[]): void {
  mkdirSync(folder);
  for (const { id, title, body, repo, dependsOn } of tickets) {
    const text = newTicketText({ id, title, body, repo, note: "" });
    const waits = dependsOn.length === 0 ? "" : `dependsOn: [${dependsOn.join(", ")}]\n`;
    writeFileSync(join(folder, `${id}.md`), text.replace("state:", `${waits}state:`));
  }
}
