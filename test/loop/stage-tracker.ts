import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmbeddedTracker, seedEmbeddedTracker } from "../../src/adapters/tracker/embedded.ts";
import { createFolderTracker } from "../../src/adapters/tracker/folder.ts";
import { newTicketText } from "../../src/adapters/tracker/ticket-edit.ts";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import { localTicketFolder } from "../../src/domain/batch/tracker-spec.ts";
import { type RunState, ticketById } from "../../src/domain/run/state.ts";
import type { Tracker } from "../../src/ports/tracker.ts";

/** Writes an embedded tracker, `tracker.json`, and a folder of Markdown tickets into a folder. Gives the path of the latter. */
export async function seedTrackers(root: string, tickets: readonly Ticket[]): Promise<string> {
  await seedEmbeddedTracker(join(root, "tracker.json"), tickets);
  const folder = join(root, "tickets");
  writeTickets(folder, tickets);
  return folder;
}

/** A folder of open tickets, as Markdown files. */
function writeTickets(folder: string, tickets: readonly Ticket[]): void {
  mkdirSync(folder);
  for (const { id, title, body, repo, dependsOn } of tickets) {
    const text = newTicketText({ id, title, body, repo, note: "" });
    const waits = dependsOn.length === 0 ? "" : `dependsOn: [${dependsOn.join(", ")}]\n`;
    writeFileSync(join(folder, `${id}.md`), text.replace("state:", `${waits}state:`));
  }
}

/** The tracker of a run's batch, with the tickets that it holds. */
export function trackerOf(state: RunState, file: string): Tracker {
  const ids = state.plan.tickets.map((t) => t.id).filter((id) => ticketById(state, id).unfiled === undefined);
  const path = localTicketFolder(state.batch.tracker);
  return path === undefined ? createEmbeddedTracker({ file, ids }) : createFolderTracker({ folder: path, ids });
}
