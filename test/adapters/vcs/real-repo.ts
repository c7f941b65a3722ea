import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import { RepoId } from "../../../src/domain/values/ids.ts";
import type { Repo } from "../../../src/ports/vcs.ts";

export const APP = RepoId.parse("app");

const ENV = {
  PATH: process.env["PATH"] ?? "",
  LANG: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "person",
  GIT_AUTHOR_EMAIL: "person@example.org",
  GIT_COMMITTER_NAME: "person",
  GIT_COMMITTER_EMAIL: "person@example.org",
};

/** Plain git in a folder, as a person or an agent would run it. Its stdout, without the last line end. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, env: ENV, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).replace(/\n$/, "");
}

const folders: string[] = [];

/** A fresh folder that is removed after the test. */
export function tempDir(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-vcs-test-")));
  folders.push(dir);
  return dir;
}

/** Call once in each test file. */
export function cleanUp(): void {
  afterEach(() => {
    for (const dir of folders.splice(0)) rmSync(dir, { recursive: true, force: true });
  });
}

export interface Setting {
  readonly root: string;
  /** The user's repository, with `main` checked out and three files in it. */
  readonly user: string;
  readonly repo: Repo;
  readonly first: string;
}

/** A user's repository with one commit on `main`, opened. `more` are further options; a function of the folder of it all. */
export async function setUp(
  prepare?: (user: string) => void,
  more: (root: string) => Partial<Parameters<typeof openRepo>[0]> = () => ({}),
): Promise<Setting> {
  const root = tempDir();
  const user = newRepo(root);
  prepare?.(user);
  const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root, ...more(root) });
  return { root, user, repo, first: git(user, "rev-parse", "main") };
}

/** A repository in `root/user` with one commit. */
export function newRepo(root: string, ...initArgs: string[]): string {
  const user = join(root, "user");
  git(root, "init", "-q", "-b", "main", ...initArgs, user);
  write(user, "a.txt", "one\ntwo\nthree\n");
  write(user, "b.txt", "b\n");
  write(user, ".gitignore", "*.log\n");
  git(user, "add", "-A");
  git(user, "commit", "-q", "-m", "first");
  return user;
}

export function write(dir: string, name: string, text: string): void {
  writeFileSync(join(dir, name), text);
}

/** One worktree on `loopdash/r/<name>` from the base tip. */
export async function worktree(
  setting: Setting,
  name = "T-1",
): Promise<{ path: string; branch: string; from: string; message: string }> {
  const made = { path: join(setting.root, name), branch: `loopdash/r/${name}`, from: await setting.repo.baseTip() };
  await setting.repo.addWorktree(made);
  return { ...made, message: `${name}: work` };
}

/** A ready candidate that writes `files` on top of the base. */
export async function readyCandidate(
  setting: Setting,
  files: Record<string, string>,
  name = "T-1",
): Promise<{ from: string; to: string }> {
  const made = await worktree(setting, name);
  for (const [file, text] of Object.entries(files)) write(made.path, file, text);
  const { tip } = await setting.repo.capture(made);
  const candidate = await setting.repo.candidate({ tip, message: made.message });
  if (!candidate.ok) throw new Error("conflict");
  return { from: candidate.base, to: candidate.commit };
}

/** What `git status` shows a person, untracked files included. */
export function statusOf(dir: string): string {
  return git(dir, "status", "--porcelain");
}

/** A shell command that proves by a file that it ran. */
export function trap(root: string): { command: string; sprung: () => boolean } {
  const file = join(root, "SPRUNG");
  return { command: `touch ${file}; cat`, sprung: () => existsSync(file) };
}
