import { statfsSync } from "node:fs";
import { errorMessage } from "../domain/values/text.ts";

/** SQLite's result codes that this file distinguishes (https://www.sqlite.org/rescode.html). */
export const SQLITE = {
  error: 1,
  perm: 3,
  busy: 5,
  locked: 6,
  noMemory: 7,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  notADatabase: 26,
} as const;

/** The primary result code of an error that SQLite gave, or undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}

/** The name of the system's error ("ENOSPC"), or undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

const PASSING_SQLITE = new Set<number>([SQLITE.full, SQLITE.busy, SQLITE.locked, SQLITE.ioError]);
const PASSING_SYSTEM = new Set(["ENOSPC", "EDQUOT", "EIO", "EBUSY", "EAGAIN", "ESTALE", "ETIMEDOUT", "EMFILE", "ENFILE"]);

/** True if an error, or its cause, is a fault of the disk or the database that may pass by itself. False for defects. */
export function canPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isPassing = PASSING_SQLITE.has(sqliteCode(error) ?? -1) || PASSING_SYSTEM.has(systemCode(error) ?? "");
  return isPassing || canPass(error.cause);
}

/** The reason for a disk error, and the remedy. */
export interface DiskProblem {
  readonly why: string;
  readonly todo: string;
}

const FULL: DiskProblem = { why: "the disk is full", todo: "Free some space there, then run the same command again." };
const DENIED: DiskProblem = {
  why: "it cannot be written",
  todo: "Give this user the right to write there, or name another folder in LOOPDASH_HOME.",
};
const READ_ONLY: DiskProblem = {
  why: "it is on a read-only file system",
  todo: "Name a folder that can be written in LOOPDASH_HOME.",
};
const NOT_A_FOLDER: DiskProblem = {
  why: "something on its path is missing or is not a folder",
  todo: "Move what is in the way, or name another folder in LOOPDASH_HOME.",
};
const DAMAGED: DiskProblem = {
  why: "it is damaged, or not a database",
  todo: "Move the file away to start afresh (earlier runs are no longer listed then), or put a good copy back.",
};
const BUSY: DiskProblem = {
  why: "another process keeps it locked",
  todo: "End the process that uses it, then run the same command again.",
};

const BY_SQLITE = new Map<number, DiskProblem>([
  // The statements are fixed, so one that does not fit means tables that loopdash did not make.
  [SQLITE.error, DAMAGED],
  [SQLITE.full, FULL],
  [SQLITE.readOnly, DENIED],
  [SQLITE.perm, DENIED],
  [SQLITE.cannotOpen, DENIED],
  [SQLITE.corrupt, DAMAGED],
  [SQLITE.notADatabase, DAMAGED],
  [SQLITE.busy, BUSY],
  [SQLITE.locked, BUSY],
]);

const BY_SYSTEM = new Map<string, DiskProblem>([
  ["ENOSPC", FULL],
  ["EDQUOT", FULL],
  ["EROFS", READ_ONLY],
  ["EACCES", DENIED],
  ["EPERM", DENIED],
  ["ENOTDIR", NOT_A_FOLDER],
  ["EEXIST", NOT_A_FOLDER],
  ["ENOENT", NOT_A_FOLDER],
  ["EISDIR", NOT_A_FOLDER],
]);

/**
 * The meaning of a failed disk operation for a person; undefined if the error is a defect of the program. `folder` is where it failed: on a
 * full disk, SQLite says no more than "disk I/O error" of a file beside the database.
 */
export function diskProblem(error: unknown, folder?: string): DiskProblem | undefined {
  const sqlite = sqliteCode(error);
  if (sqlite === SQLITE.ioError) return folder !== undefined && isFull(folder) ? FULL : unnamed(error);
  if (sqlite !== undefined) return BY_SQLITE.get(sqlite);
  const system = systemCode(error);
  if (system !== undefined) return BY_SYSTEM.get(system) ?? unnamed(error);
  return undefined;
}

/** True if the disk that holds a folder has no room left for this user. */
export function isFull(folder: string): boolean {
  try {
    return statfsSync(folder).bavail === 0;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

function unnamed(error: unknown): DiskProblem {
  const words = errorMessage(error);
  return { why: words, todo: "Look at the disk that holds it, then run the same command again." };
}
