import { createHash } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TicketId } from "../../domain/values/ids.ts";
import type { OracleBatch, ReadListing, ServicePlace, TrackerPlace } from "../../ports/oracle.ts";
import { openNoLink } from "../plain-file.ts";
import { openIssueIds, withOpenIssues } from "./service-issues.ts";
import type { TrackerLocation } from "./write-tracker.ts";

/** A tracker's files by name; the embedded one has a single file without a name. */
export type Copy = ReadonlyMap<string, CopiedFile>;

interface CopiedFile {
  readonly bytes: Buffer;
  /** Differs if the file was written meanwhile, even with the same content. */
  readonly stamp: string;
}

/** Reads all files of a tracker, or what its program prints or its service answers. Throws if one of them cannot be read. */
export async function copyTracker({ tracker: place, tickets }: OracleBatch, listing: ReadListing | undefined): Promise<Copy> {
  if (place.kind === "command" || "keys" in place) {
    if (listing === undefined) throw new TypeError("nothing reads a tracker that is asked");
    const text = await listing(place, tickets);
    return new Map([["", { bytes: Buffer.from(text), stamp: createHash("sha256").update(text).digest("hex") }]]);
  }
  if (place.kind === "embedded") return new Map([["", await copyFile(place.file)]]);
  const files = new Map<string, CopiedFile>();
  for (const entry of await readdir(place.folder, { withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith(".md")) files.set(entry.name, await copyFile(join(place.folder, entry.name)));
  }
  return files;
}

/** Reads a file itself, never the target of a link or a pipe. */
async function copyFile(file: string): Promise<CopiedFile> {
  const handle = await openNoLink(file);
  try {
    const { ino, size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true });
    return { bytes: await handle.readFile(), stamp: [ino, size, mtimeNs, ctimeNs].join(":") };
  } finally {
    await handle.close();
  }
}

/** True if nobody wrote to the tracker between the two copies. */
export function isSameCopy(a: Copy, b: Copy): boolean {
  return a.size === b.size && [...a].every(([name, file]) => b.get(name)?.stamp === file.stamp);
}

/** Writes a copy to a place without a tracker. */
export async function placeCopy(place: TrackerLocation, copy: Copy): Promise<void> {
  if (place.kind === "folder") await mkdir(place.folder, { mode: 0o700 });
  for (const [name, { bytes }] of copy) {
    await writeFile(place.kind !== "folder" ? place.file : join(place.folder, name), bytes, { flag: "wx", mode: 0o600 });
  }
}

/** A copy in which settled tickets were reopened. */
export interface Reopened {
  readonly copy: Copy;
  /** The wanted tickets that were found in it. */
  readonly ids: readonly TicketId[];
}

/** The copy with these tickets open; a ticket that is open already stays as it is. */
export function reopened(place: TrackerPlace, copy: Copy, wanted: readonly TicketId[]): Reopened {
  const found = new Set<string>();
  const files = [...copy].map(([name, file]): [string, CopiedFile] => {
    const text = file.bytes.toString("utf8");
    const opening = { name, wanted, found };
    const opened = "keys" in place ? withOpenIssues(place, text, wanted, found) : OPENERS[place.kind](text, opening);
    return [name, opened === undefined ? file : { bytes: Buffer.from(opened), stamp: "" }];
  });
  return { copy: new Map(files), ids: wanted.filter((id) => found.has(id)) };
}

/** The tickets of the batch that are plainly open in a copy, whatever an oracle says of it. */
export function stillOpen(place: TrackerPlace, copy: Copy, batch: readonly TicketId[]): readonly TicketId[] {
  const openIn = (name: string, text: string) => ("keys" in place ? openIssueIds(place, text) : OPEN_IN[place.kind](name, text));
  const open = new Set([...copy].flatMap(([name, { bytes }]) => openIn(name, bytes.toString("utf8"))));
  return batch.filter((id) => open.has(id));
}

const idsOfOpen = (lines: readonly Line[]) => lines.flatMap(({ id, state }) => (state === "open" ? [id] : []));

/** The ids of the tickets that are plainly open in one file of a tracker. */
const OPEN_IN: Readonly<Record<OnDisk, (name: string, text: string) => readonly string[]>> = {
  embedded: (_, text) => idsOfOpen(ticketsIn(text)),
  command: (_, text) => idsOfOpen(listedIn(text)),
  folder(name, text) {
    const front = frontMatterText(text);
    const isOpen = front !== undefined && /^state: +(["']?)open\1 *(?:#.*)?$/m.test(front);
    return isOpen ? [ticketFileId(name, front)] : [];
  },
};

/** Kinds whose tickets are copied in a form of loopdash's own. */
type OnDisk = Exclude<TrackerPlace, ServicePlace>["kind"];

interface Line {
  readonly id: string;
  readonly state: string;
  readonly humanStep?: string;
  readonly note?: string;
  readonly step?: string;
}

const ticketsIn = (text: string): readonly Line[] => (JSON.parse(text) as { tickets: Line[] }).tickets;

interface Opening {
  readonly name: string;
  readonly wanted: readonly string[];
  readonly found: Set<string>;
}

/** Gives a tracker's text with the wanted tickets open; undefined if it holds none of them. */
const OPENERS: Readonly<Record<OnDisk, (text: string, opening: Opening) => string | undefined>> = {
  embedded: openIn,
  folder: openFile,
  command: openListed,
};

/** The tickets of a listing; its last line tells their number. */
const listedIn = (text: string): readonly Line[] =>
  text
    .trimEnd()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

function openListed(text: string, { wanted, found }: Opening): string {
  const lines = listedIn(text).map((ticket) => {
    if (!wanted.includes(ticket.id)) return ticket;
    found.add(ticket.id);
    const { step: _, ...rest } = ticket;
    return { ...rest, state: "open" };
  });
  return `${[...lines, { tickets: lines.length }].map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** One ticket per line, as the engine writes it. */
function openIn(text: string, { wanted, found }: Opening): string {
  const lines = ticketsIn(text).map((ticket) => {
    if (!wanted.includes(ticket.id)) return ticket;
    found.add(ticket.id);
    if (ticket.state === "open") return ticket;
    const { humanStep: _, note: __, ...rest } = ticket;
    return { ...rest, state: "open" };
  });
  return `{"version":1,"tickets":[\n${lines.map((line) => JSON.stringify(line)).join(",\n")}\n]}\n`;
}

/** The oracle reads only plain `key: value` lines of YAML, so these expressions see all that it sees. */
function openFile(text: string, { name, wanted, found }: Opening): string | undefined {
  const front = frontMatterText(text);
  if (front === undefined || !/^state: /m.test(front)) return undefined;
  const id = ticketFileId(name, front);
  if (!wanted.includes(id)) return undefined;
  found.add(id);
  return front.replace(/^state: .*$/m, "state: open") + text.slice(front.length);
}

function frontMatterText(text: string): string | undefined {
  const end = text.indexOf("\n---", 3);
  return end === -1 ? undefined : text.slice(0, end);
}

function ticketFileId(name: string, front: string): string {
  return /^id: +(["']?)([\w.-]+)\1 *(?:#.*)?$/m.exec(front)?.[2] ?? name.slice(0, -".md".length);
}
