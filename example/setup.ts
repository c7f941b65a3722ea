/**
 * Makes the example's two git repositories afresh under example/workspace/, from the files in example/repos/.
 * The same bytes, names and dates each time, so the first commit of each has the same id on every machine.
 * Needs git and nothing else; reads no git configuration of the user's.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const NAMES = ["shop", "infra"] as const;
const FIRST_DAY = "2026-01-05T09:00:00Z";

/** Creates both repositories with base branch `main` and returns their paths. Removes what was there before. */
export async function setUpExample(workspace: string = join(import.meta.dirname, "workspace")): Promise<readonly string[]> {
  await rm(workspace, { recursive: true, force: true });
  await mkdir(workspace, { recursive: true });
  return Promise.all(NAMES.map((name) => createRepository(name, join(workspace, name))));
}

async function createRepository(name: string, path: string): Promise<string> {
  await cp(join(import.meta.dirname, "repos", name), path, { recursive: true });
  const git = (...args: string[]) => run("git", args, { cwd: path, env: gitEnvironment() });
  await git("init", "--quiet", "--initial-branch=main", "--template=");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", `${name}: what runs today`);
  return path;
}

/** The whole environment of git here: fixed identity and dates, no configuration but the repository's own. */
function gitEnvironment(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Example",
    GIT_AUTHOR_EMAIL: "example@example.invalid",
    GIT_AUTHOR_DATE: FIRST_DAY,
    GIT_COMMITTER_NAME: "Example",
    GIT_COMMITTER_EMAIL: "example@example.invalid",
    GIT_COMMITTER_DATE: FIRST_DAY,
  };
}

if (import.meta.main) {
  for (const path of await setUpExample()) console.log(`example repository ready: ${path}`);
}
