import { PREPARE_STEP } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { type BlockedConnection, blockedRemedy } from "../../domain/run/blocked-fact.ts";
import { plainText } from "../../domain/values/text.ts";
import type { Confinement } from "../../ports/sandbox.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { ProgramContext } from "./context.ts";
import { copyFiles } from "./copy-files.ts";
import { changedIdentities, findProtected, findShadows, identitiesOf, type Made, TooMuchPrepared } from "./overwritten.ts";
import { prepareFolder, type ToPrepare } from "./prepared.ts";
import { behindLinks, changedFiles, differingFiles, onTheWayTo, protectedBy, protectedFiles } from "./protected-files.ts";
import { OWN_LOG, runPrepare } from "./run-prepare.ts";
import type { StepScope } from "./scope.ts";

const NOTHING_MADE: Made = { files: [], links: [] };
const ALLOW = 'To allow this, name the file in "writes" of the step.';
/** Paths in one piece of evidence, at most. */
const MOST_TOLD = 100;

/**
 * Prepares a pristine checkout. Ensures that protected files, and committed ones that the result depends on, are the same
 * afterwards (P2): prepare commands run the change's own code, and nobody reads the files that they make.
 */
export async function prepare(
  ctx: ProgramContext,
  scope: StepScope,
  repo: Repo,
  path: string,
  {
    kept,
    log,
    name,
    commit,
    base,
    confinement,
    writes,
    files,
    pristine,
  }: {
    readonly log: string;
    /** The step's name. */
    readonly name: string;
    readonly commit: string;
    /** The commit whose attributes decide how files are checked out. */
    readonly base: string;
    readonly confinement: Confinement | undefined;
    /** The commit's files, and those of them that its result depends on. */
    readonly files: readonly string[];
    readonly kept: readonly string[];
    readonly writes: readonly string[];
    readonly pristine: (path: string) => Promise<void>;
  },
): Promise<Evidence | undefined> {
  if ((ctx.batch.repos[scope.ticket.repo]?.prepare ?? []).length === 0) return undefined;
  const before = await protectedFiles(path, ctx.batch.protect);
  const identities = await identitiesOf(path, kept);
  const run = runPrepare(ctx, `${log}-prepare`);
  const failed = await prepareFolder(ctx, scope, repo, { cwd: path, commit, base, name, confinement, run });
  if (failed !== undefined) return failed;
  const changed = await changedFiles(path, before);
  if (changed.length > 0) return changedByPrepare("changed a protected file", changed, []);
  // For protected folders, not files that are protected by name only: npm installs next to each package.json of a workspace.
  const isProtected = protectedBy(ctx.batch.protect);
  const folders = new Set([...before.keys()].flatMap(foldersAbove).filter((folder) => isProtected(`${folder}/any name`)));
  const mayWrite = protectedBy(writes);
  const wanted = { isProtected: byName(ctx.batch.protect, folders), isOnTheWay: onTheWayTo(ctx.batch.protect) };
  const found = ctx.batch.protect.length === 0 ? NOTHING_MADE : await findProtected(path, wanted, files).catch(tooMuch);
  if ("step" in found) return found;
  const made = found.files.filter((each) => !mayWrite(each));
  if (made.length > 0) return changedByPrepare("created a protected file", made, [ALLOW]);
  const links = found.links.filter((each) => !mayWrite(each));
  if (links.length > 0) return changedByPrepare("created a link to a folder that may hold protected files", links, [ALLOW]);
  const shadows = (await findShadows(path, [...folders], files)).filter((each) => !mayWrite(each));
  if (shadows.length > 0)
    return changedByPrepare("created a file that may be loaded instead of a protected one", shadows, [ALLOW]);
  const linked = await behindLinks(path, kept);
  const touched = linked.length > 0 ? linked : await changedIdentities(path, identities);
  if (touched.length === 0) return undefined;
  const other = `${path}-pristine`;
  await pristine(other);
  const differing = linked.length > 0 ? linked : await differingFiles(path, other, touched);
  if (differing.length === 0) return undefined;
  return changedByPrepare("changed a file of the commit", differing, [ALLOW]);
}

/** The evidence against a preparation that left more than can be looked through. */
function tooMuch(error: unknown): Evidence {
  if (!(error instanceof TooMuchPrepared)) throw error;
  return { step: "prepare", name: "prepare", summary: `preparing the checkout left ${error.message}`, detail: "" };
}

/**
 * Tells whether a new file is protected by its name. A protected folder may get files that nothing loads: a glob that covers one
 * of these folders as a whole does not count in it, but the others do.
 */
function byName(protect: readonly string[], folders: ReadonlySet<string>): (path: string) => boolean {
  const isProtected = protectedBy(protect);
  const globs = protect.map((glob) => protectedBy([glob]));
  return (path) => {
    if (!isProtected(path)) return false;
    const around = foldersAbove(path).filter((folder) => folders.has(folder));
    return globs.some((covers) => covers(path) && !around.some((folder) => covers(`${folder}/any name`)));
  };
}

/** The folders above a path, except the top. */
function foldersAbove(path: string): readonly string[] {
  return path
    .split("/")
    .slice(0, -1)
    .map((_, n, parts) => parts.slice(0, n + 1).join("/"));
}

function changedByPrepare(what: string, paths: readonly string[], more: readonly string[]): Evidence {
  const summary = `preparing the checkout ${what}: ${plainText(paths[0] ?? "", 200)}`;
  const detail = [...paths.slice(0, MOST_TOLD).map((each) => plainText(each, 200)), ...more].join("\n");
  return { step: "prepare", name: "prepare", summary, detail };
}

/**
 * Makes an attempt's worktree ready. Gives the evidence of the first prepare command that fails, also after a retry. No agent has
 * worked there yet, so a failure is reported as one of the base, unless the worktree holds work of an earlier attempt: then `commit` is
 * not `base`.
 */
export async function prepareWorktree(
  ctx: ProgramContext,
  scope: StepScope,
  repo: Repo,
  { cwd, commit, base = commit, confinement }: Pick<ToPrepare, "cwd" | "commit" | "confinement"> & { readonly base?: string },
): Promise<Evidence | undefined> {
  const turn = { step: PREPARE_STEP, name: "prepare", rest: (idle: () => Promise<void>) => idle() };
  const run = runPrepare(ctx, OWN_LOG);
  const toPrepare = { cwd, commit, base, name: "worktree", confinement, run };
  const blocked: BlockedConnection[] = [];
  const announce: StepScope["announce"] = (fact) => {
    if (fact.type === "connection-blocked") blocked.push(fact);
    return scope.announce(fact);
  };
  const unprepared = await prepareFolder(ctx, { ...scope, turn, announce }, repo, toPrepare);
  const failed = unprepared ?? (await copyFiles(ctx, repo.id, cwd, "agent"));
  if (failed === undefined || commit !== base) return failed;
  const [first] = blocked;
  const why = first === undefined ? {} : ({ blocked: true } as const);
  const remedy = first === undefined ? "" : `. ${blockedRemedy(first)}`;
  announce({ type: "prepare-failed", base: commit, summary: `${failed.summary}${remedy}`, ...why });
  return failed;
}
