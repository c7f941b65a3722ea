import { constants } from "node:fs";
import { mkdir, open, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TicketId } from "../../domain/ids.ts";
import { shuffled } from "./chance.ts";
import type { Place } from "./write-tracker.ts";

/** A tracker's files by name; the embedded one has a single file without a name. */
export type Copy = ReadonlyMap<string, CopiedFile>;

interface CopiedFile {
  readonly bytes: Buffer;
  /** Another whenever the file was written meanwhile, also where it was written back. */
  readonly stamp: string;
}

/** Reads all that a tracker is made of. Throws where a part of it cannot be read. */
export async function copyTracker(place: Place): Promise<Copy> {
  if (place.kind === "embedded") return new Map([["", await copyFile(place.file)]]);
  const files = new Map<string, CopiedFile>();
  for (const entry of await readdir(place.folder, { withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith(".md")) files.set(entry.name, await copyFile(join(place.folder, entry.name)));
  }
  return files;
}

/** A file itself, not what a link or a pipe would lead to. */
async function copyFile(file: string): Promise<CopiedFile> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { ino, size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true });
    return { bytes: await handle.readFile(), stamp: [ino, size, mtimeNs, ctimeNs].join(":") };
  } finally {
    await handle.close();
  }
}

/** Whether nobody wrote to the tracker between the two. */
export function isSameCopy(a: Copy, b: Copy): boolean {
  return a.size === b.size && [...a].every(([name, file]) => b.get(name)?.stamp === file.stamp);
}

/** Lays a copy out at a place where no tracker is. */
export async function placeCopy(place: Place, copy: Copy): Promise<void> {
  if (place.kind === "folder") await mkdir(place.folder, { mode: 0o700 });
  for (const [name, { bytes }] of copy) {
    await writeFile(place.kind === "embedded" ? place.file : join(place.folder, name), bytes, { flag: "wx", mode: 0o600 });
  }
}

/** The copy with one ticket of the batch open again, which one is up to chance. Throws where no ticket can be found in it. */
export function reopened(kind: Place["kind"], copy: Copy, batch: readonly TicketId[]): { copy: Copy; id: TicketId } {
  for (const id of shuffled(batch)) {
    for (const [name, { bytes }] of copy) {
      const text = bytes.toString("utf8");
      const opened = kind === "embedded" ? openIn(text, id) : openFile(name, text, id);
      if (opened !== undefined) return { copy: new Map([...copy, [name, { bytes: Buffer.from(opened), stamp: "" }]]), id };
    }
  }
  throw new Error("no ticket of the batch is found in a copy of the tracker");
}

/** One ticket per line, as the engine writes it; undefined where the ticket is not there. */
function openIn(text: string, id: TicketId): string | undefined {
  const file = JSON.parse(text) as { tickets: { id: string; state: string }[] };
  const ticket = file.tickets.find((t) => t.id === id);
  if (ticket === undefined) return undefined;
  const { humanStep: _, note: __, ...rest } = ticket as Record<string, unknown>;
  const lines = file.tickets.map((t) => JSON.stringify(t === ticket ? { ...rest, state: "open" } : t));
  return `{"version":1,"tickets":[\n${lines.join(",\n")}\n]}\n`;
}

/** The oracle reads no more of YAML than plain `key: value` lines, so these two expressions see all that it sees. */
function openFile(name: string, text: string, id: TicketId): string | undefined {
  const end = text.indexOf("\n---", 3);
  if (end === -1) return undefined;
  const front = text.slice(0, end);
  const own = /^id: +(["']?)([\w.-]+)\1 *(?:#.*)?$/m.exec(front)?.[2];
  if ((own ?? name.slice(0, -".md".length)) !== id || !/^state: /m.test(front)) return undefined;
  return front.replace(/^state: .*$/m, "state: open") + text.slice(end);
}
