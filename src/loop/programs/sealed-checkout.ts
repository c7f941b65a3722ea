import { randomBytes, randomUUID } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { canDecide, isTestPath, isToolConfiguration } from "@loopdash/test-evidence";
import type { Confinement } from "../../ports/executor.ts";
import type { Repo } from "../../ports/vcs.ts";
import { confineCommand, sandboxCheckoutPath } from "./confine.ts";
import { changedIdentities, overwrittenInLayer, readIdentities } from "./overwritten.ts";
import { isErrorCode, protectedBy } from "./protected-files.ts";
import type { ProgramContext } from "./scope.ts";

/**
 * Files that are mounted read-only, each by a mount of its own. Measured on two cores: 64 mounts add some 20 ms to the start of a
 * sandbox, 256 some 90. A write to a file beyond this number succeeds in the layer, is seen afterwards, and fails the check.
 */
const MOST_MOUNTS = 64;

/** The folders of one check, in one folder outside, under names that reveal nothing: a process sees its layers' names. */
export interface CheckFolders {
  readonly checkout: string;
  /** Receives the command's report. */
  readonly artifacts: string;
  /** Two empty folders for the layer over the checkout, and two for that over the artifacts. */
  readonly upper: string;
  readonly work: string;
  readonly artifactsUpper: string;
  readonly artifactsWork: string;
}

/** A checkout in which a command can run without changing the files that its result depends on. */
export interface SealedCheckout {
  /** Undefined if the run has no sandbox. */
  readonly confinement: Confinement | undefined;
  /** The command's writes to the checkout and the artifacts, outside: the folders themselves, or the layers over them. */
  readonly written: string;
  readonly writtenArtifacts: string;
  /** The command's own paths of the checkout and of the folder for artifacts. */
  readonly place: string;
  readonly artifacts: string;
  /**
   * The files that its result depends on and that the command has overwritten, replaced or removed, even if it put them back.
   * Call it once the command has ended. `lacking` runs a program in the same checkout and gives those of the files that it lacks.
   */
  overwritten(lacking: (paths: readonly string[]) => Promise<readonly string[]>): Promise<readonly string[]>;
}

/** The files of a commit that a result depends on. `writes` are patterns of files that the command may overwrite. */
export function keptFiles(
  ctx: Pick<ProgramContext, "batch">,
  { files, writes }: { readonly files: readonly string[]; readonly writes: readonly string[] },
): readonly string[] {
  const isProtected = protectedBy(ctx.batch.protect);
  const mayWrite = protectedBy(writes);
  return files.filter((path) => isProtected(path) || (canDecide(path) && !mayWrite(path)));
}

/**
 * Seals a prepared checkout for one command (adversary case F1). In the sandbox the command gets a writable layer over it: the
 * checkout itself never changes. Protected files, tests and the configuration of runners and compilers are also mounted read-only
 * in it, so that neither writing them nor renaming the folder around them works. `writes` are patterns of files that the command
 * may overwrite. Without layers, or without a sandbox, files are identified by their inode and ctime instead.
 */
export async function sealCheckout(
  ctx: ProgramContext,
  repo: Repo,
  options: {
    readonly folders: CheckFolders;
    readonly files: readonly string[];
    readonly writes: readonly string[];
    /** The place of the command's report, if that is in the checkout. */
    readonly report?: string;
  },
): Promise<SealedCheckout> {
  const { folders } = options;
  const isProtected = protectedBy(ctx.batch.protect);
  const mayWrite = protectedBy(options.writes);
  const kept = keptFiles(ctx, options);
  if (!ctx.confined) return unconfined(folders, kept);
  const place = sandboxCheckoutPath(ctx, repo, folders.checkout);
  const sealed = await mountable(folders.checkout, inOrder(kept, isProtected));
  // A name that code cannot know from elsewhere (adversary case F3).
  const artifacts = `/tmp/${randomBytes(6).toString("hex")}`;
  const mounts = sealed.map((path) => ({ from: join(folders.checkout, path), at: join(place, path), write: false }));
  const shownArtifacts = { from: folders.artifacts, at: artifacts };
  const shown = { from: folders.checkout, at: place };
  if (!ctx.layers) {
    const before = await readIdentities(folders.checkout, kept);
    return {
      ...{ place, artifacts, written: folders.checkout, writtenArtifacts: folders.artifacts },
      confinement: confineCommand(ctx, repo, {
        mounts: [{ ...shown, write: true }, { ...shownArtifacts, write: true }, ...mounts],
      }),
      overwritten: () => changedIdentities(folders.checkout, before),
    };
  }
  const { upper, work, artifactsUpper, artifactsWork } = folders;
  const tracked = new Set(kept);
  const layers = [
    { ...shown, upper, work },
    { ...shownArtifacts, upper: artifactsUpper, work: artifactsWork },
  ];
  return {
    ...{ place, artifacts, written: upper, writtenArtifacts: artifactsUpper },
    confinement: confineCommand(ctx, repo, { mounts, layers }),
    overwritten: async (lacking) => {
      const isTracked = (path: string) => tracked.has(path);
      const found = await overwrittenInLayer({ checkout: folders.checkout, upper, isTracked });
      const paths = found.paths.filter((path) => tracked.has(path) || !(path === options.report || mayWrite(path)));
      if (found.tooMany) return [...paths, "(more files than can be looked through)"];
      return [...paths, ...(found.doubtful.length === 0 ? [] : await lacking(found.doubtful))];
    },
  };
}

async function unconfined(folders: CheckFolders, kept: readonly string[]): Promise<SealedCheckout> {
  const { checkout, artifacts } = folders;
  const before = await readIdentities(checkout, kept);
  return {
    ...{ place: checkout, artifacts, written: checkout, writtenArtifacts: artifacts, confinement: undefined },
    overwritten: () => changedIdentities(checkout, before),
  };
}

/** The files to mount read-only, the most important first. */
function inOrder(files: readonly string[], isProtected: (path: string) => boolean): readonly string[] {
  const rank = (path: string) => [isProtected(path), isToolConfiguration(path), isTestPath(path)].indexOf(true);
  return files.filter((path) => rank(path) !== -1).toSorted((a, b) => rank(a) - rank(b));
}

/** The folders of a check in an empty folder of its own. Nobody can know the name of `artifacts` before (adversary case A17). */
export function checkFolders(room: string): CheckFolders {
  const names = { checkout: "0", upper: "1", work: "2", artifactsUpper: "3", artifactsWork: "4", artifacts: randomUUID() };
  const found = Object.entries(names).map(([name, folder]) => [name, join(room, folder)]);
  return Object.fromEntries(found) as Record<keyof typeof names, string>;
}

/** The plain files of these that exist: a link cannot be mounted over, and prepare commands may have removed something. */
async function mountable(checkout: string, paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) {
    if (found.length >= MOST_MOUNTS) break;
    if (await isPlain(join(checkout, path))) found.push(path);
  }
  return found;
}

async function isPlain(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
  } catch (error) {
    if (isErrorCode(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG")) return false;
    throw error;
  }
}
