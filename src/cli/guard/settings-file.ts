import { randomUUID } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { readBounded, UnusableFile } from "@loopdash/values/node";
import { errorCode, errorMessage, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";

/** A file of settings as it was read. */
export interface SettingsFile {
  /** The path at which the program looks for it. */
  readonly file: string;
  /** The path of the file itself: another one if `file`, or a folder on the way, is a link. */
  readonly target: string;
  readonly isLink: boolean;
  /** The folder that the file must be in, whatever links there are on the way; undefined: any. */
  readonly within: string | undefined;
  /** Undefined if there is none. */
  readonly text: string | undefined;
}

const BACKUP = ".loopdash-backup-";
/** Backups that are read, the newest. */
const MOST_BACKUPS = 100;

/**
 * Reads settings. Throws a UserError if they cannot be read, or if a link leads out of the folder `within`: whoever can write there, such
 * as an agent in a repository, could name any file of the user.
 */
export function readSettings(file: string, within?: string): SettingsFile {
  try {
    refuseOutside(file, within);
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const target = isLink ? realpathSync(file) : file;
    return { file, target, isLink, within, text: textOf(target) };
  } catch (error) {
    if (error instanceof UserError) throw error;
    const isLost = errorCode(error) === "ENOENT";
    throw refusal(file, isLost ? "it is a link, and leads to nothing" : errorMessage(error), error);
  }
}

/** Looks at each folder on the way, also at links that lead to nothing. */
function refuseOutside(file: string, within: string | undefined): void {
  if (within === undefined) return;
  const top = realpathSync(within);
  let path = within;
  for (const name of relative(within, file).split("/")) {
    path = join(path, name);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    const real = realOf(path);
    if (real === undefined || !real.startsWith(`${top}/`)) throw outside(file, path);
  }
}

/** Where a path leads; undefined if that is nowhere. */
function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function outside(file: string, link: string): UserError {
  return new UserError({
    what: `${plainText(file, 300)} is not used`,
    why: `the link ${plainText(link, 300)} leads out of the repository`,
    todo: "Nothing was written there. Look at who made the link; put a file or folder of the repository in its place, or leave out --project.",
    exitCode: EXIT.notDone,
  });
}

/** UTF-8, or an error: other bytes would be lost when it is written again. */
function textOf(path: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readBounded(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Texts of the backups beside a file, the newest first. What is no plain file was not made by us. */
export function backupTexts(target: string): readonly string[] {
  const folder = dirname(target);
  try {
    const names = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.startsWith(`${basename(target)}${BACKUP}`))
      .map(({ name }) => join(folder, name));
    return names.toSorted().toReversed().slice(0, MOST_BACKUPS).flatMap(backupText);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw refusal(target, errorMessage(error), error);
  }
}

function backupText(path: string): readonly string[] {
  try {
    return [readBounded(path).toString("utf8")];
  } catch (error) {
    // We make no backup of what we do not read.
    if (error instanceof UnusableFile) return [];
    throw error;
  }
}

/**
 * Replaces a file, or removes it if `text` is undefined, and keeps its mode and owner. What was there stays beside it as a backup
 * whose path is returned. False if somebody else has changed it since it was read: then nothing is written. They are compared right before
 * the file is replaced; no system call does both, so what a program writes between these two is lost. Throws a UserError if it cannot be
 * written.
 */
export function replaceSettings(
  settings: SettingsFile,
  text: string | undefined,
  now: Date,
): { readonly backup: string | undefined } | false {
  const { file, target, text: before } = settings;
  const made: string[] = [];
  try {
    refuseOutside(file, settings.within);
    if (before === undefined) mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    const draft = text === undefined ? undefined : writeDraft(target, text);
    if (draft !== undefined) made.push(draft);
    // What takes long comes before the comparison.
    const backup = before === undefined ? undefined : writeBackup(target, before, now);
    if (backup !== undefined) made.push(backup);
    refuseOutside(file, settings.within);
    if (textOf(target) !== before) return false;
    if (draft === undefined) rmSync(target);
    else renameSync(draft, target);
    made.length = 0;
    return { backup };
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw refusal(file, errorMessage(error), error);
  } finally {
    for (const path of made) rmSync(path, { force: true });
  }
}

function writeDraft(target: string, text: string): string {
  const draft = join(dirname(target), `.${basename(target)}.${randomUUID()}`);
  writeSynced(draft, text, target);
  return draft;
}

/** Never overwrites one. */
function writeBackup(target: string, text: string, now: Date): string {
  const date = now
    .toISOString()
    .replace(/[-:]/g, "")
    .replace(/\.(\d+)Z$/, "$1Z");
  for (let n = 1; ; n++) {
    const backup = `${target}${BACKUP}${date}${n === 1 ? "" : `-${n}`}`;
    try {
      writeSynced(backup, text, target);
      return backup;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

/** Writes a new file with the mode and the owner of another. */
function writeSynced(path: string, text: string, like: string): void {
  const model = statSync(like, { throwIfNoEntry: false });
  const fd = openSync(path, "wx", 0o600);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  if (model === undefined) return;
  const own = statSync(path);
  if (own.uid !== model.uid || own.gid !== model.gid) chownSync(path, model.uid, model.gid);
  chmodSync(path, model.mode & 0o7777);
}

function refusal(file: string, why: string, cause: unknown): UserError {
  return new UserError({
    what: `the guard cannot be put into or taken out of ${plainText(file, 300)}`,
    why: plainText(why, 300),
    todo: "Nothing was written there. See that it is a file that you can read and write, and try again.",
    exitCode: EXIT.notDone,
    cause,
  });
}
