import { resolve } from "node:path/posix";
import type { TestCommands } from "./argv.ts";
import { checkBatch } from "./check.ts";
import { type FolderTicket, mergeFolder } from "./merge-folder.ts";
import { parseBatchFile } from "./parse.ts";
import { unfitForPath } from "./plain-words.ts";
import { type BatchProblem, type Locate, sortProblems } from "./problem.ts";
import { resolveBatch } from "./resolve.ts";
import type { Batch } from "./schema.ts";
import { warnOfBatch } from "./warn.ts";

export type BatchReading =
  | { readonly ok: true; readonly batch: Batch; readonly warnings: readonly BatchProblem[]; readonly locate: Locate }
  | { readonly ok: false; readonly problems: readonly BatchProblem[] };

/** The places of a batch file and its ticket folder. */
export interface BatchSurroundings {
  /** Absolute path of the batch file's folder. */
  readonly folder: string;
  /** The tickets of the folder that `ticketFolder` names; needed only if it names one. */
  readonly folderTickets?: readonly FolderTicket[];
  /** The test commands that the repositories of `untestedRepos` name at their bases. */
  readonly testCommands?: TestCommands;
}

/**
 * Turns the text of a batch file into a batch that can run, or into every reason why it cannot. Pure; never throws for the text.
 * If `ticketFolder(text, folder)` names a folder, its tickets must be given.
 */
export function readBatch(text: string, batchSurroundings: BatchSurroundings): BatchReading {
  const parsed = parseBatchFile(text);
  if (!parsed.ok) return parsed;
  const { file, locate, problems, elsewhere } = mergeFolder(parsed, batchSurroundings.folderTickets);
  const unread = file.tracker.path !== undefined && batchSurroundings.folderTickets === undefined;
  const found = unread ? problems : [...problems, ...checkBatch(file, locate, elsewhere)];
  if (found.length > 0) return { ok: false, problems: sortProblems(found) };
  return {
    ok: true,
    batch: resolveBatch(file, batchSurroundings),
    warnings: warnOfBatch(file, locate, batchSurroundings.testCommands),
    locate,
  };
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

/**
 * The absolute path of the ticket folder that a batch file names; undefined if it names none, or if the file has problems that
 * `readBatch` will report.
 */
export function ticketFolder(text: string, folder: string): string | undefined {
  const parsed = parseBatchFile(text);
  const path = parsed.ok ? parsed.file.tracker.path : undefined;
  return path === undefined || unfitForPath(path) !== undefined ? undefined : resolve(folder, path);
}
