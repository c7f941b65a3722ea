import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isResumable } from "../../domain/results/next-steps.ts";
import type { RunState } from "../../domain/run/state.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { stateFromJournal } from "../engine/journal-state.ts";
import { listRuns, withStore } from "../find-run.ts";
import { prepareStateHome, type StateHome } from "../state-home.ts";
import type { CiTarget } from "./find-target.ts";

/** The batch file of a loop. */
export interface CiBatchFile {
  readonly path: string;
  /** The run that a start goes on with; undefined if it begins a new loop. */
  readonly resumes?: string;
}

const NAME = /^(\d{4,9})\.json$/;

/**
 * The batch file for these settings: that of the loop that was cut off on the same branch with the same settings, or a new one. Each loop
 * has its own file, so that none takes anything over from one that has ended. Throws a UserError (exit 4) if one is at work.
 */
export function batchFileFor(home: StateHome, target: Pick<CiTarget, "branch" | "repository">, text: string): CiBatchFile {
  prepareStateHome(home);
  const folder = folderFor(home, target);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const last = newestIn(folder);
  const path = last === undefined ? undefined : join(folder, last);
  if (path !== undefined) refuseLive(path, target.branch);
  if (path !== undefined && readFileSync(path, "utf8") === text) {
    const resumes = unfinished(home, path);
    if (resumes !== undefined) return { path, resumes };
  }
  const next = join(folder, `${String(Number(NAME.exec(last ?? "")?.[1] ?? 0) + 1).padStart(4, "0")}.json`);
  writeFileSync(next, text, { flag: "wx", mode: 0o600 });
  return { path: next };
}

/** The unfinished run of a loop that these settings would go on with. Writes nothing. */
export function unfinishedLoop(
  home: StateHome,
  target: Pick<CiTarget, "branch" | "repository">,
  text: string,
): string | undefined {
  const folder = folderFor(home, target);
  if (!existsSync(folder)) return undefined;
  const last = newestIn(folder);
  if (last === undefined || readFileSync(join(folder, last), "utf8") !== text) return undefined;
  return unfinished(home, join(folder, last));
}

/** The name of the newest batch file in a folder; undefined if there is none. */
function newestIn(folder: string): string | undefined {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .toSorted()
    .at(-1);
}

function folderFor({ root }: StateHome, { branch, repository: { path } }: Pick<CiTarget, "branch" | "repository">): string {
  return join(root, "ci", createHash("sha256").update(`${path}\0${branch}`).digest("hex").slice(0, 16));
}

/** The last state of the newest run of a batch file; undefined if none has begun. */
export function lastState(path: string): RunState | undefined {
  return withStore((store) => {
    const row = store.list().find(({ batchPath }) => batchPath === path);
    return row && stateFromJournal(store.openForReading(row.run), row.run);
  });
}

function unfinished({ db }: StateHome, path: string): string | undefined {
  if (!existsSync(db)) return undefined;
  const row = withStore((store) => store.unfinished(path));
  if (row === undefined) return undefined;
  const end = lastState(path)?.end;
  return end === undefined || isResumable(end) ? row.run : undefined;
}

function refuseLive(path: string, branch: string): void {
  const live = listRuns().find((row) => row.batchPath === path && row.live);
  if (live === undefined) return;
  throw new UserError({
    what: "loopdash ci cannot start",
    why: `a loop is at work on ${plainText(branch, 100)}`,
    todo: `Watch it: loopdash attach ${live.run}`,
    exitCode: EXIT.refused,
  });
}
