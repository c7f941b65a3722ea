import { randomBytes, randomInt } from "node:crypto";
import { mkdir, open, rename, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { AskedPlace, TrackerPlace } from "../../ports/oracle.ts";
import type { Age, CanaryTicket } from "./canary.ts";
import { flipCoin } from "./random.ts";
import { issuesText, type ServiceCanary } from "./service-issues.ts";

type Command = Extract<TrackerPlace, { kind: "command" }>;

/** The place of a canary. Its program, if it has one, prints the file; what stands in for a service answers from it. */
export type TrackerLocation = Exclude<TrackerPlace, AskedPlace> | (Command & { readonly file: string }) | ServiceCanary;

const SERVICES = { linear: 33 * 1024 * 1024, github: 33 * 1024 * 1024 };
/**
 * Sizes above the oracle's limits (128 MiB, a listing 64 MiB, an answer 32 MiB, one ticket file 1 MiB); a sparse file costs nothing.
 * Bytes.
 */
const HUGE = { embedded: 129 * 1024 * 1024, command: 65 * 1024 * 1024, folder: 2 * 1024 * 1024, ...SERVICES };

/** Writes a tracker as real ones are written: in the same form, replaced by rename, and of this age. */
export async function writeTracker(place: TrackerLocation, tickets: readonly CanaryTicket[], age: Age): Promise<void> {
  if (place.kind !== "folder") return replace(place.file, textOf(place, tickets), age);
  await rm(place.folder, { recursive: true, force: true });
  await mkdir(place.folder, { mode: 0o700 });
  const names = new Set<string>();
  for (const ticket of tickets) {
    const name = names.has(`${ticket.id}.md`) ? `${ticket.id}-${randomInt(10, 100)}.md` : `${ticket.id}.md`;
    names.add(name);
    await replace(join(place.folder, name), ticketText(ticket, runOf(place), name !== `${ticket.id}.md` || flipCoin()), age);
  }
}

/** Writes a tracker that lacks part of a page. */
export async function writeHalf(place: TrackerLocation, tickets: readonly CanaryTicket[], age: Age): Promise<void> {
  if (place.kind !== "folder") {
    const text = textOf(place, tickets);
    return replace(place.file, text.slice(0, 1 + randomInt(text.length - 4)), age);
  }
  await writeTracker(place, tickets, age);
  const [ticket] = tickets as [CanaryTicket, ...CanaryTicket[]];
  const text = ticketText(ticket, runOf(place), true);
  await replace(join(place.folder, `${ticket.id}.md`), text.slice(0, 4 + randomInt(text.indexOf("\n---", 4) - 3)), age);
}

/** Writes a page far longer than any oracle reads. */
export async function writeHuge(place: TrackerLocation, tickets: readonly CanaryTicket[], age: Age): Promise<void> {
  await writeTracker(place, tickets, age);
  const [ticket] = tickets as [CanaryTicket, ...CanaryTicket[]];
  await truncate(place.kind !== "folder" ? place.file : join(place.folder, `${ticket.id}.md`), HUGE[place.kind]);
}

/** Rewrites the tracker in two parts with a moment between them: a reader at that moment sees half of it. */
export async function writeTorn(
  place: TrackerLocation,
  tickets: readonly CanaryTicket[],
  pause: () => Promise<void>,
): Promise<void> {
  if (place.kind !== "folder") return torn(place.file, textOf(place, tickets), pause);
  for (const ticket of tickets) await torn(join(place.folder, `${ticket.id}.md`), ticketText(ticket, runOf(place), false), pause);
}

async function torn(file: string, text: string, pause: () => Promise<void>): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    const half = text.length >> 1;
    await handle.write(text.slice(0, half));
    await pause();
    await handle.write(text.slice(half));
  } finally {
    await handle.close();
  }
}

/** The run to which a tracker at this place would belong. */
function runOf(place: TrackerLocation): string {
  return basename(dirname(place.kind === "folder" ? place.folder : place.file));
}

async function replace(file: string, text: string, age: Age): Promise<void> {
  const temporary = `${file}.tmp`;
  await writeFile(temporary, text, { mode: 0o600 });
  if (age === "old" || (age === "mixed" && flipCoin())) {
    const secondsAgo = Math.exp(randomInt(4, 16));
    await utimes(temporary, new Date(), Date.now() / 1_000 - secondsAgo);
  }
  await rename(temporary, file);
}

function textOf(place: Exclude<TrackerLocation, { kind: "folder" }>, tickets: readonly CanaryTicket[]): string {
  if (place.kind === "embedded") return embeddedText(tickets, runOf(place));
  return place.kind === "command" ? listingText(tickets) : issuesText(place, tickets);
}

/** What the program of a tracker prints. */
function listingText(tickets: readonly CanaryTicket[]): string {
  const lines = tickets.map(({ id, title, body, state, step }) =>
    JSON.stringify({ id, title, body, state, ...(step === undefined ? {} : { step }) }),
  );
  return `${[...lines, JSON.stringify({ tickets: lines.length })].join("\n")}\n`;
}

/** The form of the embedded tracker: one ticket per line. */
function embeddedText(tickets: readonly CanaryTicket[], run: string): string {
  const lines = tickets.map(({ id, title, body, state, step }) =>
    JSON.stringify({ id, title, body, state, ...(step === undefined ? {} : { humanStep: step }), ...noteOf(state, run) }),
  );
  return `{"version":1,"tickets":[\n${lines.join(",\n")}\n]}\n`;
}

/** The engine adds a note to the states that it sets; a person need not. */
function noteOf(state: string, run: string): { note?: string } {
  return state === "open" || flipCoin()
    ? {}
    : { note: `landed as ${randomBytes(20).toString("hex")} by run ${run}, attempt ${randomInt(1, 4)}` };
}

function ticketText({ id, title, body, state, step }: CanaryTicket, run: string, withId: boolean): string {
  const front = [
    ...(withId ? [`id: ${id}`] : []),
    `state: ${/^[a-z-]+$/.test(state) ? state : JSON.stringify(state)}`,
    ...(step === undefined ? [] : [`humanStep: ${JSON.stringify(step)}`]),
    ...Object.entries(noteOf(state, run)).map(([key, note]) => `${key}: "${note} (loopdash ${randomBytes(2).toString("hex")})"`),
  ];
  return `---\n${front.join("\n")}\n---\n# ${title}\n${body === "" ? "" : `\n${body}\n`}`;
}
