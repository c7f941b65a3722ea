import { randomBytes, randomInt } from "node:crypto";
import { appendFileSync, existsSync, rmSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasErrorCode } from "../../domain/values/text.ts";
import type { AskedPlace, OracleBatch, TrackerPlace } from "../../ports/oracle.ts";
import type { Age, CanaryTicket, TrackerKind } from "./canary.ts";
import { chooseOne, flipCoin } from "./random.ts";
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
  if (place.kind !== "folder") return replace(place.file, trackerText(place, tickets), age);
  await rm(place.folder, { recursive: true, force: true });
  await mkdir(place.folder, { mode: 0o700 });
  const names = new Set<string>();
  for (const ticket of tickets) {
    const name = names.has(`${ticket.id}.md`) ? `${ticket.id}-${randomInt(10, 100)}.md` : `${ticket.id}.md`;
    names.add(name);
    await replace(join(place.folder, name), ticketText(ticket, trackerRun(place), name !== `${ticket.id}.md` || flipCoin()), age);
  }
}

/** Writes a tracker that lacks part of a page. */
export async function writeHalf(place: TrackerLocation, tickets: readonly CanaryTicket[], age: Age): Promise<void> {
  if (place.kind !== "folder") {
    const text = trackerText(place, tickets);
    return replace(place.file, text.slice(0, 1 + randomInt(text.length - 4)), age);
  }
  await writeTracker(place, tickets, age);
  const [ticket] = tickets as [CanaryTicket, ...CanaryTicket[]];
  const text = ticketText(ticket, trackerRun(place), true);
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
  if (place.kind !== "folder") return torn(place.file, trackerText(place, tickets), pause);
  for (const ticket of tickets)
    await torn(join(place.folder, `${ticket.id}.md`), ticketText(ticket, trackerRun(place), false), pause);
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
function trackerRun(place: TrackerLocation): string {
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

function trackerText(place: Exclude<TrackerLocation, { kind: "folder" }>, tickets: readonly CanaryTicket[]): string {
  if (place.kind === "embedded") return embeddedText(tickets, trackerRun(place));
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
    JSON.stringify({ id, title, body, state, ...(step === undefined ? {} : { humanStep: step }), ...randomNote(state, run) }),
  );
  return `{"version":1,"tickets":[\n${lines.join(",\n")}\n]}\n`;
}

/** The engine adds a note to the states that it sets; a person need not. */
function randomNote(state: string, run: string): { note?: string } {
  return state === "open" || flipCoin()
    ? {}
    : { note: `landed as ${randomBytes(20).toString("hex")} by run ${run}, attempt ${randomInt(1, 4)}` };
}

function ticketText({ id, title, body, state, step }: CanaryTicket, run: string, withId: boolean): string {
  const front = [
    ...(withId ? [`id: ${id}`] : []),
    `state: ${/^[a-z-]+$/.test(state) ? state : JSON.stringify(state)}`,
    ...(step === undefined ? [] : [`humanStep: ${JSON.stringify(step)}`]),
    ...Object.entries(randomNote(state, run)).map(
      ([key, note]) => `${key}: "${note} (loopdash ${randomBytes(2).toString("hex")})"`,
    ),
  ];
  return `---\n${front.join("\n")}\n---\n# ${title}\n${body === "" ? "" : `\n${body}\n`}`;
}

/** Folders beside those of the runs, named like them, that hold canaries while they are judged. */
export interface DecoyFolders {
  /** A place for a tracker of this kind: its folder exists, the tracker does not. */
  make(kind: TrackerKind): Promise<TrackerLocation>;
  remove(place: TrackerLocation): Promise<void>;
  /** Removes the folders that a killed engine left. */
  sweep(): Promise<void>;
}

const NAMES = ["tickets", "issues", "backlog", "todo", "tasks", "plan"];

/**
 * `list` is a file that records each folder before it is made; `run` is the folder of the run, beside which they are made; `real`
 * is the run's own tracker.
 */
export function createDecoyFolders({
  run,
  list,
  real,
  printer,
}: {
  readonly run: string;
  readonly list: string;
  readonly real: OracleBatch["tracker"];
  /** Freezes a program that prints a file, like that of a tracker; needed if `real` has a program. */
  readonly printer?: ((file: string, folder: string) => Promise<string>) | undefined;
}): DecoyFolders {
  const runs = dirname(run);
  let made = 0;
  return {
    async make(kind) {
      let name = sibling(basename(run));
      while (existsSync(join(runs, name))) name = sibling(basename(run));
      // Synchronous, because two may be made at the same moment.
      appendFileSync(list, `${name}\n`, { mode: 0o600 });
      made += 1;
      await mkdir(join(runs, name), { mode: 0o700 });
      return placeIn(join(runs, name), kind, { real, printer });
    },
    async remove(place) {
      await removeHide(dirname(place.kind === "folder" ? place.folder : place.file));
      made -= 1;
      if (made === 0) rmSync(list, { force: true });
    },
    async sweep() {
      const left = await readFile(list, "utf8").catch((error: unknown) => {
        if (hasErrorCode(error, "ENOENT")) return "";
        throw error;
      });
      // A name without a line break was being recorded when the engine was killed, and its folder was never made.
      for (const name of left.split("\n").slice(0, -1)) {
        if (name !== "" && name === basename(name)) await removeHide(join(runs, name));
      }
      await rm(list, { force: true });
    },
  };
}

/** The place of a tracker of this kind in a folder. */
async function placeIn(
  folder: string,
  kind: TrackerKind,
  { real, printer }: Pick<Parameters<typeof createDecoyFolders>[0], "real" | "printer">,
): Promise<TrackerLocation> {
  if (kind === "embedded") return { kind, file: join(folder, "tracker.json") };
  if (kind === "command") {
    const file = join(folder, "listing.jsonl");
    if (printer === undefined) throw new TypeError("nothing prints a canary");
    return { kind, program: await printer(file, folder), folder, file };
  }
  if (kind === "linear" || kind === "github") {
    const { canceled, repos, repoIds } = "keys" in real ? real : { canceled: "open" as const, repos: {} };
    return { kind, canceled, keys: {}, repos, ...(repoIds && { repoIds }), file: join(folder, "issues.json") };
  }
  const last = real.kind === "folder" ? basename(real.folder) : chooseOne(NAMES);
  return { kind, folder: join(folder, last) };
}

/** Names are random: a run that got the same name meanwhile is no decoy, and stays. */
async function removeHide(folder: string): Promise<void> {
  if (existsSync(join(folder, "oracle.cjs")) || existsSync(join(folder, "oracle.json"))) return;
  await rm(folder, { recursive: true, force: true });
}

/** A run's name with another day of the last weeks and other last digits. */
function sibling(run: string): string {
  const day = new Date(Date.now() - randomInt(21) * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "");
  const named = run.replace(/\d{8}(?=-[0-9a-f]+$)/, day);
  const cut = named.lastIndexOf("-");
  const tail = cut === -1 ? 4 : Math.max(4, named.length - cut - 1);
  return `${cut === -1 ? named : named.slice(0, cut)}-${randomBytes(tail).toString("hex").slice(0, tail)}`;
}
