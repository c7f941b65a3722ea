import { resolve } from "node:path/posix";
import type { TicketId } from "../values/ids.ts";
import { checkBatch } from "./check.ts";
import { trackerProblems } from "./check-tracker.ts";
import { type FolderTicket, mergeFolder } from "./merge-folder.ts";
import { type ContractTexts, readContracts } from "./named-contracts.ts";
import { parseBatchFile } from "./parse.ts";
import { unfitForPath } from "./plain-words.ts";
import type { TestCommands } from "./prepare-command.ts";
import { type BatchProblem, type Locate, sortProblems } from "./problem.ts";
import { resolveBatch, resolvePolicy, resolveTracker, secretsOfFile } from "./resolve.ts";
import type { Batch, Ticket } from "./schema.ts";
import { isKeptOutside, localTicketFolder } from "./tracker-spec.ts";
import { warnOfBatch } from "./warn.ts";

export type BatchReading =
  | { readonly ok: true; readonly batch: Batch; readonly warnings: readonly BatchProblem[]; readonly locate: Locate }
  | { readonly ok: false; readonly problems: readonly BatchProblem[] };

/** The places of a batch file and its ticket folder. */
export interface BatchSurroundings {
  /** Absolute path of the batch file's folder. */
  readonly folder: string;
  /** The tickets of the folder that `ticketFolder` names, or of the tracker of `readTrackerRequest`; needed only if there is one. */
  readonly folderTickets?: readonly FolderTicket[];
  /** The test commands that the repositories of `untestedRepos` name at their bases. */
  readonly testCommands?: TestCommands;
  /** The files of `contractPaths`; needed only if there are any. */
  readonly contracts?: ContractTexts;
}

/**
 * Turns the text of a batch file into a batch that can run, or into every reason why it cannot. Pure; never throws for the text.
 * If `ticketFolder` or `readTrackerRequest` names a tracker, its tickets must be given.
 */
export function readBatch(text: string, batchSurroundings: BatchSurroundings): BatchReading {
  const parsed = parseBatchFile(text);
  if (!parsed.ok) return parsed;
  const { file, locate, problems, elsewhere } = mergeFolder(parsed, batchSurroundings.folderTickets);
  const unread = isKeptOutside(file.tracker) && batchSurroundings.folderTickets === undefined;
  const ofTracker = unread ? trackerProblems(file, locate) : [];
  const found = unread ? (ofTracker.length > 0 ? ofTracker : problems) : [...problems, ...checkBatch(file, locate, elsewhere)];
  const contracts = readContracts(file, locate, batchSurroundings.contracts ?? new Map());
  const all = unread ? found : [...found, ...contracts.problems];
  if (all.length > 0) return { ok: false, problems: sortProblems(all) };
  const batch = resolveBatch(file, { ...batchSurroundings, contracts: contracts.byTicket });
  return {
    ok: true,
    batch: { ...batch, tickets: batch.tickets.map((ticket) => withWriter(ticket, batchSurroundings.folderTickets)) },
    warnings: sortProblems([...warnOfBatch(file, locate, batchSurroundings.testCommands), ...contracts.warnings]),
    locate: contracts.locate,
  };
}

/** The ticket with the writer of the tracker's text, unless all of its text is that of the batch file. */
function withWriter(ticket: Ticket, from: readonly FolderTicket[] = []): Ticket {
  const source = from.find(({ id }) => id === ticket.id);
  const isOwn = source?.title !== ticket.title && source?.body !== ticket.body;
  return source?.writer === undefined || isOwn ? ticket : { ...ticket, writer: source.writer };
}

/**
 * The repositories whose own tests the default finish line runs, with absolute paths; empty if the batch file names a finish line,
 * or if it has problems that `readBatch` will report.
 */
export function untestedRepos(text: string, folder: string): Batch["repos"] {
  const parsed = parseBatchFile(text);
  if (!parsed.ok || parsed.file.finish !== undefined) return {};
  const repos = Object.entries(parsed.file.repos).filter(([, { path }]) => unfitForPath(path) === undefined);
  return Object.fromEntries(repos.map(([id, repo]) => [id, { ...repo, path: resolve(folder, repo.path) }]));
}

/** The absolute paths of all repositories of a batch file; empty if the file has problems that `readBatch` will report. */
export function repoPaths(text: string, folder: string): readonly string[] {
  const parsed = parseBatchFile(text);
  return parsed.ok ? Object.values(parsed.file.repos).map(({ path }) => resolve(folder, path)) : [];
}

/**
 * The absolute path of the ticket folder that a batch file names; undefined if it names none, or if the file has problems that
 * `readBatch` will report.
 */
export function ticketFolder(text: string, folder: string): string | undefined {
  const parsed = parseBatchFile(text);
  const path = parsed.ok ? localTicketFolder(parsed.file.tracker) : undefined;
  return path === undefined || unfitForPath(path) !== undefined ? undefined : resolve(folder, path);
}

/** What it takes to ask a batch's tracker for its tickets. Paths are absolute. */
export type TrackerRequest = Pick<Batch, "repos" | "secrets" | "sandboxPolicy"> & {
  readonly tracker: Exclude<Batch["tracker"], { kind: "local" }>;
  /** The ids that the file lists; empty if its query selects the tickets. */
  readonly listed: readonly TicketId[];
};

/**
 * The tracker of a batch file that answers requests; undefined if its tickets are files of this machine, or if the file has problems
 * that `readBatch` will report.
 */
export function readTrackerRequest(text: string, folder: string): TrackerRequest | undefined {
  const parsed = parseBatchFile(text);
  if (!parsed.ok || parsed.file.tracker.kind === "local" || trackerProblems(parsed.file, parsed.locate).length > 0)
    return undefined;
  const { file } = parsed;
  const tracker = resolveTracker(file.tracker, folder);
  if (tracker.kind === "local") return undefined;
  const repos = Object.entries(file.repos).map(([id, repo]) => [id, { ...repo, path: resolve(folder, repo.path) }] as const);
  return {
    tracker,
    listed: file.tickets.map(({ id }) => id),
    repos: Object.fromEntries(repos),
    ...(file.sandboxPolicy && { sandboxPolicy: resolvePolicy(file.sandboxPolicy, folder) }),
    ...secretsOfFile(file, folder),
  };
}
