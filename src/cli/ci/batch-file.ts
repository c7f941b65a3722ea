import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isResumable } from "../../domain/results/next-steps.ts";
import type { RunState } from "../../domain/run/state.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { hasBegun, stateFromJournal } from "../engine/journal-state.ts";
import { listRuns, withStore } from "../find-run.ts";
import { prepareStateHome, type StateHome } from "../state-home.ts";
import { writeWhole } from "../write-whole.ts";
import type { CiTarget } from "./find-target.ts";

/** The batch file of a loop. */
export interface CiBatchFile {
  readonly path: string;
  /** The batch in it. */
  readonly batch: BatchParts;
  /** The run that a start goes on with; undefined if it begins a new loop. */
  readonly resumes?: string;
  /** Settings of the batch that stay as they were when the loop began, though they would be others now. */
  readonly kept?: readonly string[];
}

const NAME = /^(\d{4,9})\.json$/;

/** A batch, or a part of one, as its file has it. */
export type BatchParts = Readonly<Record<string, unknown>>;

/** The parts of a batch by which two loops are the same one: the repository and the branch at the forge, the checks that count, and whether it may change anything. */
const Loop = z.looseObject({
  repos: z.record(
    z.string(),
    z.looseObject({
      base: z.string(),
      forge: z.looseObject({
        repo: z.string(),
        workflow: z.string().optional(),
        fixMode: z.string().optional(),
        ignoredRun: z.number().optional(),
      }),
    }),
  ),
  limits: z.looseObject({}),
});

/**
 * The batch file for these settings: that of the loop that was cut off, or a new one. A loop goes on with the batch with which it began, and with
 * the limits of now. Each loop has its own file, so that none takes anything over from one that has ended. Throws a UserError (exit 4) if one is
 * at work.
 */
export function batchFileFor(home: StateHome, target: Pick<CiTarget, "branch" | "repository">, batch: BatchParts): CiBatchFile {
  prepareStateHome(home);
  const folder = folderFor(home, target);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = namesIn(folder);
  refuseLive(
    home,
    names.map((name) => join(folder, name)),
    target.branch,
  );
  const found = findLoop(home, folder, batch);
  if (found !== undefined) {
    writeWhole(found.path, textOf(found.batch));
    return found;
  }
  const next = join(folder, `${String(Number(NAME.exec(names[0] ?? "")?.[1] ?? 0) + 1).padStart(4, "0")}.json`);
  writeWhole(next, textOf(batch));
  return { path: next, batch };
}

/** The unfinished loop that these settings would go on with. Writes nothing. */
export function unfinishedLoop(
  home: StateHome,
  target: Pick<CiTarget, "branch" | "repository">,
  batch: BatchParts,
): CiBatchFile | undefined {
  const folder = folderFor(home, target);
  return existsSync(folder) ? findLoop(home, folder, batch) : undefined;
}

/** The newest loop of this kind, if it was cut off, with the limits of now. A file that a crash has cut, or whose run has never begun, hides no other one. */
function findLoop(home: StateHome, folder: string, batch: BatchParts): CiBatchFile | undefined {
  const key = keyOf(batch);
  if (!existsSync(home.db)) return undefined;
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const began = readLoop(path);
    if (began === undefined || keyOf(began) !== key || lastState(path) === undefined) continue;
    const resumes = unfinished(path);
    if (resumes === undefined) return undefined;
    return { path, resumes, batch: { ...began, limits: batch["limits"] }, kept: differing(began, batch) };
  }
  return undefined;
}

function readLoop(path: string): BatchParts | undefined {
  try {
    const value = JSON.parse(readFileSync(path, "utf8"));
    return Loop.safeParse(value).success ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function keyOf(batch: BatchParts): string {
  const places = Object.values(Loop.parse(batch).repos);
  return JSON.stringify(places.map(({ base, forge }) => [base, forge.repo, forge.workflow, forge.fixMode, forge.ignoredRun]));
}

/** The settings, beside limits, that are not those of now. */
function differing(began: BatchParts, now: BatchParts): readonly string[] {
  const names = [...new Set([...Object.keys(began), ...Object.keys(now)])].filter((name) => name !== "limits");
  return names.filter((name) => textOf(began[name]) !== textOf(now[name]));
}

function textOf(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** The names of the batch files in a folder, the newest one first. */
function namesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .toSorted()
    .toReversed();
}

function folderFor({ root }: StateHome, { branch, repository: { path } }: Pick<CiTarget, "branch" | "repository">): string {
  return join(root, "ci", createHash("sha256").update(`${path}\0${branch}`).digest("hex").slice(0, 16));
}

/** The last state of the newest run of a batch file; undefined if none has begun: an engine may have been killed before its first event. */
export function lastState(path: string): RunState | undefined {
  return withStore((store) => {
    const row = store.list().find(({ batchPath, run }) => batchPath === path && hasBegun(store, run));
    return row && stateFromJournal(store.openForReading(row.run), row.run);
  });
}

function unfinished(path: string): string | undefined {
  const row = withStore((store) => store.unfinished(path));
  if (row === undefined) return undefined;
  const state = lastState(path);
  return state?.end === undefined || isResumable(state) ? row.run : undefined;
}

function refuseLive({ db }: StateHome, paths: readonly string[], branch: string): void {
  if (!existsSync(db)) return;
  const live = listRuns().find((row) => paths.includes(row.batchPath) && row.live);
  if (live === undefined) return;
  throw new UserError({
    what: "loopdash ci cannot start",
    why: `a loop is at work on ${plainText(branch, 100)}`,
    todo: `Watch it: loopdash attach ${live.run}`,
    exitCode: EXIT.refused,
  });
}
