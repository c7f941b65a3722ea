import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { diskProblem, systemCode } from "../../adapters/disk-error.ts";
import { plainText, plural } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { type Archived, archiveRun, readRun } from "../bundles/run-parts.ts";
import { describeChoice, lookUpRun, withStoreOpen } from "../find-run.ts";
import { writeAll, writeNote } from "../print.ts";

/** Files that are left out and named. */
const MOST_NAMED = 20;

/**
 * Writes a run with all its files as `<run>.tar.gz` into a folder, which is made if it is missing, and prints the path. Throws a
 * UserError: exit 2 if there is such a file, unless `isForced`; exit 3 if the journal is broken.
 */
export async function reportBundle(name: string | undefined, into: string, isForced: boolean): Promise<number> {
  const found = lookUpRun(name);
  writeNote(describeChoice(found));
  const { folder, live: isLive, row } = found;
  const file = join(resolve(into), `${row.run}.tar.gz`);
  const read = await withStoreOpen((store) => Promise.resolve(readRun(store, row.run)));
  const reserved = reserveFile(resolve(into), file, isForced);
  const to = `${file}.${process.pid}.part`;
  let archived: Archived;
  try {
    archived = await archiveRun(read, { folder, isLive, to });
    renameSync(to, file);
  } catch (error) {
    rmSync(to, { force: true });
    reserved.release();
    throw asUserError(error, file);
  }
  tell(archived, file, { isLive, rows: read.tip.seq, isReplaced: reserved.isReplaced });
  return 0;
}

/** Makes sure that the archive overwrites nothing: an empty file keeps its place until it is whole. */
function reserveFile(folder: string, file: string, isForced: boolean): { readonly isReplaced: boolean; release(): void } {
  try {
    mkdirSync(folder, { recursive: true });
    closeSync(openSync(file, "wx", 0o600));
    return { isReplaced: false, release: () => rmSync(file, { force: true }) };
  } catch (error) {
    if (systemCode(error) !== "EEXIST" || !statSync(folder).isDirectory()) throw asUserError(error, file);
    if (isForced) return { isReplaced: true, release: () => undefined };
    throw new UserError({
      what: `${plainText(file, 300)} is there already`,
      why: "loopdash overwrites no file that it was not told to",
      todo: "Move it away, name another folder, or add --force.",
      exitCode: EXIT.usage,
      cause: error,
    });
  }
}

function asUserError(error: unknown, file: string): unknown {
  const problem = diskProblem(error);
  if (problem === undefined) return error;
  return new UserError({ what: `cannot write ${plainText(file, 300)}`, ...problem, exitCode: EXIT.usage, cause: error });
}

function tell(
  { attempts, files, leftOut }: Archived,
  file: string,
  { isLive, rows, isReplaced }: { readonly isLive: boolean; readonly rows: number; readonly isReplaced: boolean },
): void {
  const { size } = statSync(file);
  writeNote(`${isReplaced ? "replaced" : "wrote"} ${plural(files, "file")} of ${plural(attempts, "attempt")}, ${size} bytes`);
  if (isLive) writeNote(`the run goes on: the archive has it up to row ${rows} of its journal`);
  for (const { name, why } of leftOut.slice(0, MOST_NAMED)) writeNote(`left out: ${name}: ${why}`);
  if (leftOut.length > MOST_NAMED) writeNote(`left out: ${leftOut.length - MOST_NAMED} more`);
  writeAll(1, `${file}\n`);
}
