import { resolve } from "node:path/posix";
import { checkBatch } from "./check.ts";
import { type FolderTicket, mergeFolder } from "./merge-folder.ts";
import { parseBatchFile } from "./parse.ts";
import { unfitForPath } from "./plain-words.ts";
import { type BatchProblem, sortProblems } from "./problem.ts";
import { resolveBatch } from "./resolve.ts";
import type { Batch } from "./schema.ts";
import { warnOfBatch } from "./warn.ts";

export type BatchReading =
  | { readonly ok: true; readonly batch: Batch; readonly warnings: readonly BatchProblem[] }
  | { readonly ok: false; readonly problems: readonly BatchProblem[] };

/** Where a batch file and its ticket folder are. */
export interface BatchSurroundings {
  /** Absolute path of the folder that the batch file is in. */
  readonly folder: string;
  /** The tickets of the folder that `ticketFolder` names; needed only where it names one. */
  readonly folderTickets?: readonly FolderTicket[];
}

/**
 * From the text of a batch file to a batch that can run, or every reason why it cannot. Pure; never throws for what the
 * text says. Where `ticketFolder(text, folder)` names a folder, its tickets must be given.
 */
export function readBatch(text: string, batchSurroundings: BatchSurroundings): BatchReading {
  const parsed = parseBatchFile(text);
  if (!parsed.ok) return parsed;
  const { file, locate, problems, elsewhere } = mergeFolder(parsed, batchSurroundings.folderTickets);
  const unread = file.tracker.path !== undefined && batchSurroundings.folderTickets === undefined;
  const found = unread ? problems : [...problems, ...checkBatch(file, locate, elsewhere)];
  if (found.length > 0) return { ok: false, problems: sortProblems(found) };
  return { ok: true, batch: resolveBatch(file, batchSurroundings), warnings: warnOfBatch(file, locate) };
}

/**
 * The absolute path of the ticket folder that a batch file names, for its reader; undefined where it names none, or where
 * the file has problems that `readBatch` will tell.
 */
export function ticketFolder(text: string, folder: string): string | undefined {
  const parsed = parseBatchFile(text);
  const path = parsed.ok ? parsed.file.tracker.path : undefined;
  return path === undefined || unfitForPath(path) !== undefined ? undefined : resolve(folder, path);
}
