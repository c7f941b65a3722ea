import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { TrackerPlace } from "./batch.ts";
import type { SnapshotTicket } from "./definition.ts";
import { parseListing } from "./listing.ts";
import { readService } from "./service-tickets.ts";
import { CannotJudge, checkedList, checkedObject, checkedText, jsonOf, stepOf, ticketIdOf } from "./shape.ts";
import { type FileRead, isUnchanged, quotedPath, readWhole } from "./stable-file.ts";
import { isTicketFileName, parseTicketText } from "./ticket-file.ts";

/** The time for which the tracker may keep changing before the reader gives up. Milliseconds. */
const DEADLINE_MS = 5_000;
const FIRST_PAUSE_MS = 25;

/** Bounds of the files that are read. Bytes. */
export const MAX_EMBEDDED = 128 * 1024 * 1024;
const MAX_LISTING = 128 * 1024 * 1024;
export const LARGEST_TICKET_FILE = 1024 * 1024;

/**
 * All tickets of the tracker at one instant; of a service, those of the batch. Reads all, then checks that nothing was written meanwhile. While it changes, reads
 * again with growing pauses up to the deadline. If it is never coherent, throws CannotJudge.
 */
export async function readSnapshot(place: TrackerPlace, batch: readonly string[] = []): Promise<readonly SnapshotTicket[]> {
  if ("keys" in place) return readService(place, batch);
  // Written for this judgement alone, before it began.
  if (place.kind === "listing") return parseListing(readWhole(place.file, MAX_LISTING).text, "the tracker's listing");
  const deadline = performance.now() + DEADLINE_MS;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, 200)) {
    const read = place.kind === "embedded" ? readEmbedded(place.file) : readFolder(place.folder);
    if (read !== undefined) return read();
    if (performance.now() + wait > deadline) throw new CannotJudge("the tracker kept changing while it was read");
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** The bytes that were read; undefined if they changed meanwhile. */
type Coherent = (() => readonly SnapshotTicket[]) | undefined;

function readEmbedded(file: string): Coherent {
  const read = readWhole(file, MAX_EMBEDDED);
  return isUnchanged(read) ? () => parseEmbedded(read) : undefined;
}

function readFolder(folder: string): Coherent {
  const names = ticketNames(folder);
  const reads: FileRead[] = [];
  for (const name of names) {
    const read = readUnlessGone(join(folder, name));
    if (read === undefined) return undefined;
    reads.push(read);
  }
  if (!reads.every(isUnchanged) || ticketNames(folder).join("/") !== names.join("/")) return undefined;
  return () => reads.flatMap((read, at) => parseTicket(read, names[at] ?? ""));
}

function ticketNames(folder: string): readonly string[] {
  const entries = listed(folder);
  return entries.flatMap((e) => (isTicketFileName(e.name) && !e.isDirectory() ? [e.name] : [])).sort();
}

function listed(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw cause;
    throw new CannotJudge(`there is no folder ${quotedPath(folder)}`, { cause });
  }
}

/** A listed file that is gone means that the folder is changing. Every other error is for the caller. */
function readUnlessGone(path: string): FileRead | undefined {
  try {
    return readWhole(path, LARGEST_TICKET_FILE);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw cause;
  }
}

function parseTicket(read: FileRead, name: string): readonly SnapshotTicket[] {
  try {
    const ticket = parseTicketText(name, read.text);
    return ticket === undefined ? [] : [ticket];
  } catch (cause) {
    if (cause instanceof CannotJudge) throw new CannotJudge(`${quotedPath(read.path)}: ${cause.message}`, { cause });
    throw cause;
  }
}

function parseEmbedded(read: FileRead): readonly SnapshotTicket[] {
  const where = quotedPath(read.path);
  const root = checkedObject(jsonOf(read.text, where), where, ["version", "tickets"]);
  if (root.get("version") !== 1) throw new CannotJudge(`${where} is of another version than 1`);
  return checkedList(root.get("tickets"), `the list of tickets in ${where}`).map((value, at) => {
    const here = `ticket ${at + 1} in ${where}`;
    const ticket = checkedObject(value, here, ["id", "title", "body", "state"], ["humanStep", "note"]);
    for (const key of ["title", "body", "note"]) if (ticket.has(key)) checkedText(ticket.get(key), `${key} of ${here}`);
    const step = stepOf(ticket.get("humanStep") ?? "", `humanStep of ${here}`);
    const state = checkedText(ticket.get("state"), `state of ${here}`);
    return { id: ticketIdOf(ticket.get("id"), `id of ${here}`), state, ...(step !== "" && { step }) };
  });
}
