import { access, constants, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isObject, type JsonObject, readJson } from "@loopdash/values";
import { readSource } from "../../adapters/run-files/copy-into.ts";
import { mustGit, runGit } from "../../adapters/vcs/git/run-git.ts";
import { findGitDir } from "../../adapters/vcs/repository/locate.ts";
import type { Argv } from "../../domain/batch/prepare-command.ts";
import { type BatchProblem, problemAt } from "../../domain/batch/problem.ts";
import type { RepoSpec } from "../../domain/batch/repo-spec.ts";
import { plainText } from "../../domain/values/text.ts";
import { baseEntries, readBaseFiles } from "./base-files.ts";
import type { LoadedBatch } from "./load-batch.ts";

/** A git hook of a repository. No run obeys it: it is code of the repository, with the user's rights. */
export interface RepositoryHook {
  readonly name: (typeof NAMES)[number];
  /** Where it was found, and what it runs. */
  readonly found: string;
  /** The command of a check that does the same; undefined if a check cannot. */
  readonly check: Argv | undefined;
}

const NAMES = ["pre-commit", "commit-msg", "pre-push"] as const;
const LEFTHOOK = ["lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml"];
const PRE_COMMIT = ".pre-commit-config.yaml";
/** Keys of package.json with hooks in them: simple-git-hooks, yorkie, and husky before 5. */
const MANIFEST_KEYS = ["simple-git-hooks", "gitHooks", "husky"];

/** The hooks that the base or the checkout of a repository has. Reads files and asks git for a setting; runs nothing of the repository. */
export async function repositoryHooks(repo: Pick<RepoSpec, "path" | "base">): Promise<readonly RepositoryHook[]> {
  const gitDir = await findGitDir(repo.path).catch(() => undefined);
  if (gitDir === undefined) return [];
  const args = ["config", "--local", "--get", "core.hooksPath"];
  const hooksPath = (await runGit(repo.path, { gitDir, args })).stdout.trim().replace(/\/$/, "");
  const isInside = hooksPath.split("/").every((part) => /^[\w-][\w.-]*$/.test(part));
  const folders = [".husky", ...(isInside ? [hooksPath] : [])];
  const scripts = folders.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`));
  const read = await readBaseFiles(repo, [...LEFTHOOK, PRE_COMMIT, "package.json", ...scripts]);
  const text = (name: string) => {
    const file = read.get(name);
    return file === undefined || file === "too large" ? undefined : file.text;
  };
  const files = { text, folders, manifest: parsed(text("package.json") ?? "{}") };
  const found = NAMES.map(async (name): Promise<readonly RepositoryHook[]> => {
    const tool = toolHook(name, files);
    if (tool !== undefined) return [tool];
    const own = hooksPath === "" && (await isExecutable(join(gitDir, "hooks", name)));
    return own ? [{ name, found: "a script in .git/hooks, which the base does not have", check: undefined }] : [];
  });
  return (await Promise.all(found)).flat();
}

interface HookFiles {
  readonly text: (name: string) => string | undefined;
  readonly folders: readonly string[];
  readonly manifest: JsonObject;
}

function parsed(text: string): JsonObject {
  try {
    const value = readJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function toolHook(name: RepositoryHook["name"], { text, folders, manifest }: HookFiles): RepositoryHook | undefined {
  const hook = (found: string, check: Argv) => {
    // Those need the message of a commit, or files that are staged.
    const hasInput = name === "commit-msg" || /lint-staged/.test(found);
    return { name, found, check: hasInput ? undefined : check };
  };
  const lefthook = LEFTHOOK.find((file) =>
    text(file)
      ?.split("\n")
      .some((line) => line.startsWith(`${name}:`)),
  );
  const npx = JSON.stringify(manifest).includes('"lefthook"') ? "npx lefthook" : "lefthook";
  if (lefthook !== undefined) return hook(lefthook, [...npx.split(" "), "run", name, "--all-files"]);
  if (name === "pre-commit" && text(PRE_COMMIT) !== undefined) return hook(PRE_COMMIT, ["pre-commit", "run", "--all-files"]);
  for (const folder of folders) {
    const script = text(`${folder}/${name}`);
    const tool = folder === ".husky" ? "husky" : folder;
    if (script !== undefined) return hook(`${tool}: ${commandsOf(script)}`, ["sh", "-e", `${folder}/${name}`]);
  }
  return manifestHook(name, manifest, hook);
}

function manifestHook(
  name: string,
  manifest: JsonObject,
  hook: (found: string, check: Argv) => RepositoryHook,
): RepositoryHook | undefined {
  for (const key of MANIFEST_KEYS) {
    const hooks = manifest[key];
    const named = isObject(hooks) && isObject(hooks["hooks"]) ? hooks["hooks"] : hooks;
    const command = isObject(named) ? named[name] : undefined;
    if (typeof command === "string") return hook(`${key}: ${command}`, ["sh", "-c", command]);
  }
  return undefined;
}

/** What a script runs, for people: its first lines that are commands. */
function commandsOf(script: string): string {
  const lines = script.split("\n").map((line) => line.trim());
  const commands = lines.filter((line) => line !== "" && !line.startsWith("#") && !/^\. .*husky\.sh"?$/.test(line));
  return `${commands.slice(0, 3).join("; ")}${commands.length > 3 ? "; …" : ""}`.slice(0, 120);
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The step of a finish line that makes a hook a check. */
export function hookCheck({ name, check }: RepositoryHook) {
  return check && ({ step: "check", name, command: check } as const);
}

/** A warning for each hook that no check of the batch is named after. */
export async function hookWarnings({ batch, locate }: LoadedBatch): Promise<readonly BatchProblem[]> {
  const found = Object.entries(batch.repos).map(async ([id, repo]) => {
    const hooks = await repositoryHooks(repo);
    const others = hooks.filter(({ name }) => !batch.finish?.some((step) => "name" in step && step.name === name));
    return others.map((hook): BatchProblem => {
      const message = `hooks of the repository do not run: ${hook.name} (${hook.found})`;
      return { ...problemAt(locate, ["repos", id], message, remedy(hook)), atStart: true };
    });
  });
  return (await Promise.all(found)).flat();
}

function remedy(hook: RepositoryHook): string {
  if (hook.name === "commit-msg") return 'what loopdash commits is shaped by "commit" (docs/use/finish-line.md#the-commit)';
  const check = hookCheck(hook);
  return check === undefined
    ? "make what it runs a check, on all files: a check has nothing staged"
    : `to make it a check, put before merge in "finish": ${JSON.stringify(check)}`;
}

/** The files to copy that are not there, and those whose place is not free: the base has it, or its .gitignore does not name it. */
export async function copyProblems({ batch, locate }: LoadedBatch): Promise<readonly BatchProblem[]> {
  const found = Object.entries(batch.repos).flatMap(([id, repo]) =>
    (repo.copy ?? []).map(async ({ from, to }, i) => {
      const at = (key: string, message: string, hint: string) => problemAt(locate, ["repos", id, "copy", i, key], message, hint);
      const source = await readSource(from);
      if (!Buffer.isBuffer(source))
        return [at("from", `${plainText(from, 200)}: ${source.why}`, "name a plain file of at most 1 MiB")];
      if ((await baseEntries(repo, [to])).size > 0)
        return [at("to", `${to} is a file of ${repo.base}, and a copy there would change it`, "name a path that git ignores")];
      if (await isBelowFile(repo, to))
        return [at("to", `a folder of ${to} is a link or a file of ${repo.base}`, "name a path below plain folders")];
      if (await isIgnored(repo, to)) return [];
      const todo = `add /${to} to .gitignore, and commit that to ${repo.base}`;
      return [at("to", `no .gitignore of ${repo.base} names ${to}, so it would be part of each change`, todo)];
    }),
  );
  return (await Promise.all(found)).flat();
}

/** True if the base has something else than a folder on the way to this path. */
async function isBelowFile({ path, base }: RepoSpec, to: string): Promise<boolean> {
  const parts = to.split("/");
  const folders = parts.slice(1).map((_, n) => parts.slice(0, n + 1).join("/"));
  if (folders.length === 0) return false;
  const args = ["ls-tree", "--full-tree", `refs/heads/${base}`, "--", ...folders];
  const { stdout } = await runGit(path, { gitDir: await findGitDir(path), args });
  return stdout.split("\n").some((line) => line !== "" && !line.startsWith("040000 "));
}

/** True if the base itself ignores this path: an agent's worktree has no other file than these to say so. */
async function isIgnored(repo: RepoSpec, path: string): Promise<boolean> {
  const parts = path.split("/");
  const rules = await readBaseFiles(
    repo,
    parts.map((_, n) => [...parts.slice(0, n), ".gitignore"].join("/")),
  );
  const workTree = await mkdtemp(join(tmpdir(), "loopdash-copy-"));
  try {
    const gitDir = join(workTree, ".git");
    await mustGit(workTree, { gitDir, args: ["init", "-q"] });
    // A template of the user's may ignore more.
    await rm(join(gitDir, "info"), { recursive: true, force: true });
    for (const [name, file] of rules) {
      await mkdir(dirname(join(workTree, name)), { recursive: true });
      await writeFile(join(workTree, name), file === "too large" ? "" : file.text);
    }
    const args = ["check-ignore", "-q", "--", path];
    return (await runGit(workTree, { gitDir, workTree, args, config: [["core.excludesFile", "/dev/null"]] })).status === 0;
  } finally {
    await rm(workTree, { recursive: true, force: true });
  }
}
