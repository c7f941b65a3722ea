import { displayValue, nearest } from "@loopdash/values";
import type { TrackerState } from "../run/drift-fact.ts";
import type { RepoId, TicketId } from "../values/ids.ts";
import { plainText } from "../values/text.ts";
import type { ParsedBatch } from "./parse.ts";
import { unfitForPath } from "./plain-words.ts";
import { type BatchProblem, type Locate, pathText, problemAt } from "./problem.ts";
import type { BatchFile, TicketSpec, Writer } from "./schema.ts";
import { ticketIdHint } from "./ticket-id-hint.ts";
import { isKeptOutside, localTicketFolder } from "./tracker-spec.ts";

/** Why no agent works on a ticket now. `text` is what is left to a person, or what it waits for; empty if it is done. */
export interface Standing {
  readonly as: "done" | "left to a person" | "on hold";
  readonly text: string;
}

/** Why no agent works on a ticket in this state, or which waits for something in its tracker (`held`); undefined if one may. */
export function trackerStanding({
  state,
  held,
}: {
  readonly state: TrackerState;
  readonly held?: string | undefined;
}): Standing | undefined {
  if (state.as === "done") return { as: "done", text: "" };
  if (state.as === "human-gated") return { as: "left to a person", text: plainText(state.step, 300) };
  return held === undefined ? undefined : { as: "on hold", text: plainText(held, 300) };
}

/** A ticket of the folder that `tracker.path` names, or of the tracker behind `tracker.command`. */
export interface FolderTicket {
  readonly id: TicketId;
  readonly title: string;
  readonly body: string;
  readonly repo?: RepoId;
  readonly dependsOn: readonly TicketId[];
  readonly exclusive: readonly string[];
  /** Who wrote its text, if it is no file of a person. */
  readonly writer?: Writer | undefined;
  /** The file of its contract, relative to the batch file's folder. */
  readonly contract?: string;
  /** Why no agent would work on it as it is now; absent if one would. Safe for a terminal. */
  readonly standing?: Standing;
  /** Its file, as messages name it; "the tracker" if it has none. */
  readonly file: string;
}

/** A batch file with the folder's tickets in its list. */
export interface MergedBatch {
  readonly file: BatchFile;
  /** Points to the batch file for its own values, and to the ticket's file for the rest. */
  readonly locate: Locate;
  readonly problems: readonly BatchProblem[];
  /** Ids of the folder that the batch does not take. */
  readonly elsewhere: ReadonlySet<string>;
}

/** Finding the nearest of many ids takes time, and only the first problems are read. */
const MAX_HINTS = 40;

/** Fields that either file may give; the batch file wins. */
const FIELDS = ["title", "body", "repo", "dependsOn", "exclusive", "contract"] as const;

/**
 * Fills the batch's tickets from the folder: the listed ones, or all if it lists none. If the batch names no folder, nothing
 * changes. A folder that was not read is a problem, and never an empty one.
 */
export function mergeFolder(parsed: ParsedBatch, folder: readonly FolderTicket[] | undefined): MergedBatch {
  const { file, locate } = parsed;
  const nothing = { file, locate, problems: [], elsewhere: new Set<string>() };
  const { tracker } = file;
  if (!isKeptOutside(tracker)) return nothing;
  const path = localTicketFolder(tracker);
  const where = path === undefined ? "the tracker" : "the ticket folder";
  if (folder === undefined) {
    const unfit = path === undefined ? undefined : unfitForPath(path);
    const at = ["tracker", path === undefined ? "command" : "path"];
    return { ...nothing, problems: [problemAt(locate, at, unfit ?? `${where} was not read`)] };
  }
  const byId = new Map(folder.map((ticket) => [ticket.id, ticket]));
  if (file.tickets.length === 0) {
    return {
      ...nothing,
      file: { ...file, tickets: folder.map((ticket) => toTicketSpec(ticket)) },
      locate: locateIn(locate, folder, true),
    };
  }
  const listed = new Set(file.tickets.map((ticket) => ticket.id));
  const sources = file.tickets.map((ticket) => byId.get(ticket.id));
  let hints = 0;
  const problems = file.tickets.flatMap(({ id }, i) => {
    if (sources[i] !== undefined) return [];
    const near = hints++ < MAX_HINTS ? nearest(id, byId.keys()) : undefined;
    const hint = ticketIdHint(tracker, id) ?? (near === undefined ? undefined : `did you mean ${displayValue(near)}?`);
    return [problemAt(locate, ["tickets", i, "id"], `there is no ticket ${displayValue(id)} in ${where}`, hint)];
  });
  const tickets = file.tickets.map((ticket, i) => {
    const source = sources[i];
    if (source === undefined) return ticket;
    const given = new Set<string>(FIELDS.filter((field) => locate(["tickets", i, field]) !== undefined));
    const folders = new Set<string>(FIELDS);
    // What only the batch file can say is always its own.
    const own = Object.entries(ticket).filter(([key, value]) => value !== undefined && (given.has(key) || !folders.has(key)));
    return { ...toTicketSpec(source), ...Object.fromEntries(own) };
  });
  const elsewhere = new Set<string>(folder.map(({ id }) => id).filter((id) => !listed.has(id)));
  return { file: { ...file, tickets }, locate: locateIn(locate, sources, false), problems, elsewhere };
}

function toTicketSpec({ id, title, body, repo, dependsOn, exclusive, contract }: FolderTicket): TicketSpec {
  const own = { ...(repo !== undefined && { repo }), ...(contract !== undefined && { contract }) };
  return { id, title, body, dependsOn, exclusive, ...own };
}

/** `whole` if the batch file lists no tickets: the place of a ticket itself is then its file, too. */
function locateIn(locate: Locate, sources: readonly (FolderTicket | undefined)[], whole: boolean): Locate {
  return (path) => {
    const inBatch = locate(path);
    if (inBatch !== undefined || path[0] !== "tickets" || typeof path[1] !== "number") return inBatch;
    const source = sources[path[1]];
    const field = path[2];
    const fromFolder = whole || FIELDS.some((name) => name === field && locate(["tickets", path[1] ?? 0, name]) === undefined);
    return source !== undefined && fromFolder ? { file: source.file, path: pathText(path.slice(2)) } : undefined;
  };
}
