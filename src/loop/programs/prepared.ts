import { createHash } from "node:crypto";
import { isAbsolute, join } from "node:path";
import { secretNames } from "@loopdash/model-gateway";
import { INSTALLED_LISTS, installedTrouble } from "../../domain/batch/manifest-trouble.ts";
import { prepareCommand, prepareCommands } from "../../domain/batch/prepare-command.ts";
import { filterManifests, listPreparePrograms, type PrepareInputs, prepareInputs } from "../../domain/batch/prepare-inputs.ts";
import type { RepoSpec } from "../../domain/batch/repo-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import type { Confinement } from "../../ports/executor.ts";
import type { PreparedRef, PreparedTrees } from "../../ports/prepared-trees.ts";
import type { CommitTree, Repo } from "../../ports/vcs.ts";
import { confineCommand, opened, sandboxCheckoutPath } from "./confine.ts";
import { overIfAborted, type ProgramContext, type StepScope, withoutRest } from "./scope.ts";

/** A checkout or worktree to prepare. Nothing has been changed in it yet. */
export interface ToPrepare {
  readonly cwd: string;
  readonly commit: string;
  /** The commit that the change starts from, whose attributes decide how files are checked out. */
  readonly base: string;
  /** Its use, for people: "worktree", or the step's name. */
  readonly name: string;
  readonly confinement: Confinement | undefined;
  /** Runs the prepare commands in a folder. Gives the evidence of the first that fails. */
  readonly run: (scope: StepScope, cwd: string, confinement: Confinement | undefined) => Promise<Evidence | undefined>;
}

/** A preparation that can be kept, or the reason why it cannot. */
type Chosen =
  | { readonly ok: true; readonly key: PreparationKey }
  | { readonly ok: false; readonly why: string; readonly canNameInputs?: true };

type Sharing = ProgramContext & { readonly preparedTrees: PreparedTrees };

/**
 * Prepares a checkout or a worktree: puts a private copy of a kept preparation there, or runs the prepare commands. Gives the
 * evidence of the first command that fails.
 *
 * Only a commit that the base contains fills the store, in a pristine checkout of its own. A candidate whose inputs equal those
 * of the commit it starts from gets the same preparation; every other candidate gets a fresh one that nobody else sees. So
 * nothing that a candidate's code does while it is prepared reaches another ticket (adversary case P1).
 */
export async function prepareFolder(
  ctx: ProgramContext,
  scope: StepScope,
  repo: Repo,
  toPrepare: ToPrepare,
): Promise<Evidence | undefined> {
  const spec = ctx.batch.repos[scope.ticket.repo];
  if (spec === undefined || spec.prepare.length === 0) return undefined;
  const begun = ctx.clock.now();
  const chosen = await choose(ctx, repo, spec, toPrepare);
  const shared = chosen.ok ? await fromStore(ctx as Sharing, scope, repo, chosen.key, toPrepare) : chosen;
  const { cwd, name, confinement } = toPrepare;
  const failed = shared.ok ? shared.failed : await toPrepare.run(scope, cwd, confinement);
  const ms = ctx.clock.now() - begun;
  if (failed === undefined)
    scope.announce({
      ...{ type: "prepared", name, ms, reused: shared.ok && shared.reused },
      key: chosen.ok ? chosen.key.key.slice(0, KEY_SHOWN) : undefined,
      why: shared.ok ? undefined : shared.why,
      canNameInputs: chosen.ok || chosen.canNameInputs === undefined ? undefined : true,
    });
  return failed;
}

/** Digits of a key that people see. */
const KEY_SHOWN = 12;

async function choose(
  ctx: ProgramContext,
  repo: Repo,
  spec: RepoSpec,
  { cwd, commit, base }: Pick<ToPrepare, "cwd" | "commit" | "base">,
): Promise<Chosen> {
  const { preparedTrees } = ctx;
  const why = whyNotShared(ctx, repo, spec, cwd);
  if (why !== undefined || preparedTrees === undefined) return { ok: false, why: why ?? "" };
  const preparedKey = (tip: string) => preparationKey({ ...ctx, preparedTrees }, repo, spec, { commit: tip, attributesOf: base });
  const key = await preparedKey(commit);
  const notKept = preparedTrees.whyNotKept(key);
  if (notKept !== undefined) return { ok: false, why: notKept };
  if (commit === base) return { ok: true, key };
  const ofBase = await preparedKey(base);
  if (ofBase.key === key.key) return { ok: true, key };
  if (key.inputs.reach === "files") return { ok: false, why: "the change touches an input" };
  return { ok: false, why: key.inputs.why, canNameInputs: true };
}

type FromStore =
  | { readonly ok: true; readonly reused: boolean; readonly failed: Evidence | undefined }
  | { readonly ok: false; readonly why: string };

/** Copies a kept preparation, which is made first if there is none. */
async function fromStore(
  ctx: Sharing,
  scope: StepScope,
  repo: Repo,
  key: PreparationKey,
  toPrepare: ToPrepare,
): Promise<FromStore> {
  const { preparedTrees: store } = ctx;
  const { name } = toPrepare;
  let reused = true;
  if ((await store.find(key)) === undefined) {
    if (!(await repo.contains(toPrepare.base))) return { ok: false, why: "its base has not landed" };
    const onWait = (who: string) =>
      void scope.announce({ type: "preparation-awaited", name, reason: `${who} makes the same preparation` });
    const make = () =>
      store.withLock(key, { by: scope.ticket.id, onWait, signal: scope.signal }, () =>
        makeKept(ctx, scope, repo, key, toPrepare),
      );
    const made = await make().catch(overIfAborted(scope));
    if (!made.ok) return made;
    if (made.failed !== undefined) return { ok: true, reused: false, failed: made.failed };
    reused = made.reused;
  }
  const kept = await store.find(key);
  if (kept === undefined) return { ok: false, why: "the kept preparation is gone" };
  if (!fits(kept, key.tree)) return { ok: false, why: "the commit has files where the preparation has others" };
  const copied = await store.copyTo(key, toPrepare.cwd);
  return copied.ok ? { ok: true, reused, failed: undefined } : copied;
}

/** Makes the preparation of the base in a pristine checkout of its own, unless another has made it meanwhile. */
async function makeKept(
  ctx: Sharing,
  scope: StepScope,
  repo: Repo,
  key: PreparationKey,
  { base, name, run }: ToPrepare,
): Promise<FromStore> {
  const { preparedTrees: store } = ctx;
  if ((await store.find(key)) !== undefined) return { ok: true, reused: true, failed: undefined };
  const notKept = store.whyNotKept(key);
  if (notKept !== undefined) return { ok: false, why: notKept };
  const room = ctx.files.checkoutPath(scope.ticket.id, `${name}-prepare`);
  const checkout = join(room, "0");
  try {
    await ctx.files.makeFolder(room);
    await repo.checkout({ commit: base, path: checkout, attributesOf: base });
    const before = await store.snapshot(checkout);
    const begun = ctx.clock.now();
    const mount = { from: checkout, at: sandboxCheckoutPath(ctx, repo, checkout), write: true };
    const confinement = opened(ctx, confineCommand(ctx, repo, { mounts: [mount] }), "prepare", {
      isTold: true,
      hasHeaders: true,
    });
    // Others wait for it, and may hold every permit: it gives none away.
    const failed = await run(withoutRest(scope), checkout, confinement);
    if (failed !== undefined) return { ok: true, reused: false, failed };
    const why = key.inputs.reach === "files" && key.inputs.hasUnknownScripts ? await installedIn(ctx, checkout) : undefined;
    if (why !== undefined) {
      store.refuse(key, why);
      return { ok: false, why };
    }
    const { id: tree } = await repo.tree(base);
    const kept = await store.keep(key, { before, name: key.name, tree, ms: ctx.clock.now() - begun });
    return kept.ok ? { ok: true, reused: false, failed: undefined } : kept;
  } finally {
    await ctx.files.remove(room);
  }
}

/** The reason why what npm has installed in a checkout may have read any file of it. */
async function installedIn({ files }: Sharing, checkout: string): Promise<string | undefined> {
  let list = "";
  for (const name of INSTALLED_LISTS) list ||= await files.tail(join(checkout, name), LIST_BYTES);
  return installedTrouble(list);
}

/** A list of some 100,000 packages. One that is longer is cut, and so no valid JSON. */
const LIST_BYTES = 64 * 1024 * 1024;

/** Results without a lockfile are kept for the day (UTC) on which a run began, in milliseconds. */
const DAY_MS = 24 * 60 * 60_000;

/** The identity of a commit's preparation, with what it was computed from. */
interface PreparationKey extends PreparedRef {
  readonly name: string;
  readonly tree: CommitTree;
  readonly inputs: PrepareInputs;
}

/** The reason why preparations are not kept at all, in words; undefined if they are. */
function whyNotShared(
  ctx: Pick<ProgramContext, "batch" | "commandEnv" | "confined" | "preparedTrees">,
  repo: Repo,
  spec: RepoSpec,
  checkout: string,
): string | undefined {
  if (spec.cache === false) return "the batch turns it off";
  if (ctx.preparedTrees === undefined || !ctx.confined) return "commands run outside the sandbox";
  if ((ctx.batch.sandboxPolicy?.write ?? []).length > 0 && spec.inputs === undefined)
    return "the batch opens folders for writing, and names no inputs";
  // Programs write their own absolute path into what they install.
  return sandboxCheckoutPath(ctx, repo, checkout) === checkout
    ? "the batch opens a folder in or around the repository"
    : undefined;
}

/**
 * The key of a commit's preparation: everything that its result depends on. That is the inputs, the commands, the programs, the
 * environment, the attributes by which files are converted, and the policy of the sandbox. If something outside may change
 * unseen, the store is told to keep nothing with that key.
 */
async function preparationKey(
  ctx: Pick<ProgramContext, "batch" | "commandEnv" | "state" | "toolchainPaths"> & { readonly preparedTrees: PreparedTrees },
  repo: Repo,
  spec: RepoSpec,
  { commit, attributesOf }: { readonly commit: string; readonly attributesOf: string },
): Promise<PreparationKey> {
  const [{ key: identity, name }, tree, rules] = await Promise.all([repo.identity(), repo.tree(commit), repo.tree(attributesOf)]);
  const commands = prepareCommands(spec.prepare);
  const manifests = filterManifests(commands, tree.files).flatMap(({ kind, path }) => (kind === "file" ? [path] : []));
  const texts = await repo.readFiles({ commit, paths: manifests });
  const found = prepareInputs({ commands, inputs: spec.inputs, files: tree.files, text: (path) => texts.get(path) });
  // The toolchains that the repository wants come first on it.
  const path = ctx.toolchainPaths.get(repo.id);
  const commandEnv = path === undefined ? ctx.commandEnv : { ...ctx.commandEnv, PATH: path };
  const { read = [], write = [], hosts = {} } = ctx.batch.sandboxPolicy ?? {};
  const outside = await ctx.preparedTrees.identityOf({
    programs: listPreparePrograms(commands),
    // A script beside the batch file is no file of the repository.
    paths: [...read, ...commands.flat().filter((word) => isAbsolute(word))].toSorted(),
    env: commandEnv,
  });
  const all = {
    commands: spec.prepare,
    secrets: secretSources(spec, ctx.batch),
    attributes: wantedFileIds(rules, (path) => path === ".gitattributes" || path.endsWith("/.gitattributes")),
    place: repo.place,
    policy: { read, write, hosts: hosts["prepare"] ?? [] },
    env: Object.entries(commandEnv).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    outside: outside.identity,
    machine: [process.platform, process.arch],
  };
  const preparedKey = (inputs: PrepareInputs) => {
    const chosen = new Set(inputs.reach === "files" ? inputs.paths : []);
    const read = inputs.reach === "tree" ? tree.id : wantedFileIds(tree, (path) => chosen.has(path));
    const day = inputs.reach === "files" && inputs.isUnlocked ? Math.floor(ctx.state().startedAt / DAY_MS) : undefined;
    return createHash("sha256")
      .update(JSON.stringify({ ...all, inputs: read, day }))
      .digest("hex");
  };
  const why =
    found.reach === "files" && found.hasUnknownScripts
      ? ctx.preparedTrees.whyNotKept({ repo: identity, key: preparedKey(found) })
      : undefined;
  const inputs: PrepareInputs = why === undefined ? found : { reach: "tree", why };
  const key = preparedKey(inputs);
  if (outside.problem !== undefined) ctx.preparedTrees.refuse({ repo: identity, key }, outside.problem);
  return { repo: identity, key, name, tree, inputs };
}

/**
 * The sources of the secrets in its variables. Another source may give access to other things; a new value of the same one does
 * not.
 */
function secretSources({ prepare }: RepoSpec, { secrets = {} }: ProgramContext["batch"]) {
  const names = new Set(prepare.flatMap((entry) => Object.values(prepareCommand(entry).env ?? {}).flatMap(secretNames)));
  return [...names].toSorted().map((name) => [name, secrets[name]] as const);
}

function wantedFileIds({ files }: CommitTree, isWanted: (path: string) => boolean): readonly (readonly [string, string])[] {
  return files.flatMap(({ id, path }) => (isWanted(path) ? [[path, id] as const] : []));
}

/**
 * True if a preparation fits this tree. One that changed files of its commit fits that tree alone. Otherwise, no file of this
 * commit may lie where the preparation has added something: prepare commands could have kept it, or found it.
 */
function fits(
  kept: { readonly tree: string; readonly roots: readonly string[]; readonly changesCommitted: boolean },
  { id, files }: CommitTree,
): boolean {
  if (kept.tree === id) return true;
  if (kept.changesCommitted) return false;
  const roots = new Set(kept.roots);
  const folders = new Set<string>();
  for (const { path } of files) {
    const above = path.split("/").map((_, n, parts) => parts.slice(0, n + 1).join("/"));
    if (above.some((each) => roots.has(each))) return false;
    for (const folder of above.slice(0, -1)) folders.add(folder);
  }
  return kept.roots.every((root) => !root.includes("/") || folders.has(root.slice(0, root.lastIndexOf("/"))));
}
