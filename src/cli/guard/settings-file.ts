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
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode, errorMessage } from "../../domain/values/error-text.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";

/** A file of settings as it was read. */
export interface SettingsFile {
  /** The path at which the program looks for it. */
  readonly file: string;
  /** The path of the file itself: another one if `file`, or a folder on the way, is a link. */
  readonly target: string;
  readonly isLink: boolean;
  /** Undefined if there is none. */
  readonly text: string | undefined;
}

const BACKUP = ".loopdash-backup-";

/** Reads settings. Throws a UserError if they cannot be read. */
export function readSettings(file: string): SettingsFile {
  try {
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const target = isLink ? realpathSync(file) : file;
    return { file, target, isLink, text: textOf(target) };
  } catch (error) {
    const isLost = errorCode(error) === "ENOENT";
    throw refusal(file, isLost ? "it is a link, and leads to nothing" : errorMessage(error), error);
  }
}

/** UTF-8, or an error: other bytes would be lost when it is written again. */
function textOf(path: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Texts of the backups beside a file, the newest first. */
export function backupTexts(target: string): readonly string[] {
  const folder = dirname(target);
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith(`${basename(target)}${BACKUP}`));
    return names
      .toSorted()
      .toReversed()
      .map((name) => readFileSync(join(folder, name), "utf8"));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw refusal(target, errorMessage(error), error);
  }
}

/**
 * Replaces a file, or removes it if `text` is undefined, and keeps its mode and owner. What was there stays beside it as a backup
 * whose path is returned. False if somebody else has changed it since it was read: then nothing is written. Throws a UserError if
 * it cannot be written.
 */
export function replaceSettings(
  { file, target, text: before }: SettingsFile,
  text: string | undefined,
  now: Date,
): { readonly backup: string | undefined } | false {
  try {
    if (before === undefined) mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    const draft = text === undefined ? undefined : writeDraft(target, text);
    try {
      if (textOf(target) !== before) return false;
      const backup = before === undefined ? undefined : writeBackup(target, before, now);
      if (draft === undefined) rmSync(target);
      else renameSync(draft, target);
      return { backup };
    } finally {
      if (draft !== undefined) rmSync(draft, { force: true });
    }
  } catch (error) {
    throw refusal(file, errorMessage(error), error);
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
