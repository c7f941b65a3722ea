import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { prepareCommand, prepareCommands } from "../../domain/batch/prepare-command.ts";
import { manifestsOf, type PrepareInputs, prepareInputs, programsOf } from "../../domain/batch/prepare-inputs.ts";
import type { RepoSpec } from "../../domain/batch/repo-spec.ts";
import { secretNames } from "../../domain/batch/secret-spec.ts";
import type { PreparedRef, PreparedTrees } from "../../ports/prepared-trees.ts";
import type { CommitTree, Repo } from "../../ports/vcs.ts";
import { placeOf } from "./confine.ts";
import type { ProgramContext } from "./context.ts";

/** The identity of a commit's preparation, with what it was computed from. */
export interface PreparationKey extends PreparedRef {
  readonly name: string;
  readonly tree: CommitTree;
  readonly inputs: PrepareInputs;
}

/** The reason why preparations are not kept at all, in words; undefined if they are. */
export function whyNotShared(
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
  return placeOf(ctx, repo, checkout) === checkout ? "the batch opens a folder in or around the repository" : undefined;
}

/**
 * The key of a commit's preparation: everything that its result depends on. That is the inputs, the commands, the programs, the
 * environment, the attributes by which files are converted, and the policy of the sandbox. If something outside may change
 * unseen, the store is told to keep nothing with that key.
 */
export async function preparationKey(
  ctx: Pick<ProgramContext, "batch" | "commandEnv" | "toolchainPaths"> & { readonly preparedTrees: PreparedTrees },
  repo: Repo,
  spec: RepoSpec,
  { commit, attributesOf }: { readonly commit: string; readonly attributesOf: string },
): Promise<PreparationKey> {
  const [{ key: identity, name }, tree, rules] = await Promise.all([repo.identity(), repo.tree(commit), repo.tree(attributesOf)]);
  const commands = prepareCommands(spec.prepare);
  const manifests = manifestsOf(commands, tree.files).flatMap(({ kind, path }) => (kind === "file" ? [path] : []));
  const texts = await repo.readFiles({ commit, paths: manifests });
  const inputs = prepareInputs({ commands, inputs: spec.inputs, files: tree.files, text: (path) => texts.get(path) });
  const chosen = new Set(inputs.reach === "files" ? inputs.paths : []);
  // The toolchains that the repository wants come first on it.
  const path = ctx.toolchainPaths.get(repo.id);
  const commandEnv = path === undefined ? ctx.commandEnv : { ...ctx.commandEnv, PATH: path };
  const { read = [], write = [], hosts = {} } = ctx.batch.sandboxPolicy ?? {};
  const outside = await ctx.preparedTrees.identityOf({
    programs: programsOf(commands),
    // A script beside the batch file is no file of the repository.
    paths: [...read, ...commands.flat().filter((word) => isAbsolute(word))].toSorted(),
    env: commandEnv,
  });
  const all = {
    commands: spec.prepare,
    secrets: sourcesOf(spec, ctx.batch),
    inputs: inputs.reach === "tree" ? tree.id : idsOf(tree, (path) => chosen.has(path)),
    attributes: idsOf(rules, (path) => path === ".gitattributes" || path.endsWith("/.gitattributes")),
    place: repo.place,
    policy: { read, write, hosts: hosts["prepare"] ?? [] },
    env: Object.entries(commandEnv).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    outside: outside.identity,
    machine: [process.platform, process.arch],
  };
  const key = createHash("sha256").update(JSON.stringify(all)).digest("hex");
  if (outside.problem !== undefined) ctx.preparedTrees.refuse({ repo: identity, key }, outside.problem);
  return { repo: identity, key, name, tree, inputs };
}

/**
 * The sources of the secrets in its variables. Another source may give access to other things; a new value of the same one does
 * not.
 */
function sourcesOf({ prepare }: RepoSpec, { secrets = {} }: ProgramContext["batch"]) {
  const names = new Set(prepare.flatMap((entry) => Object.values(prepareCommand(entry).env ?? {}).flatMap(secretNames)));
  return [...names].toSorted().map((name) => [name, secrets[name]] as const);
}

function idsOf({ files }: CommitTree, isWanted: (path: string) => boolean): readonly (readonly [string, string])[] {
  return files.flatMap(({ id, path }) => (isWanted(path) ? [[path, id] as const] : []));
}

/**
 * True if a preparation fits this tree. One that changed files of its commit fits that tree alone. Otherwise, no file of this
 * commit may lie where the preparation has added something: prepare commands could have kept it, or found it.
 */
export function fits(
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
