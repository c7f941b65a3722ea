import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import type { Repo } from "../../../src/ports/vcs.ts";
import { APP, readyCandidate, tempDir, worktree } from "./real-repo.ts";

/** A person with a home, whose git obeys all of their settings. */
export class Person {
  readonly root = tempDir();
  readonly app = join(this.root, "app");
  readonly env: Record<string, string>;

  /** `more`: variables that name files of its home. */
  constructor(settings: string, more: Record<string, string> = {}) {
    const { PATH = "" } = process.env;
    const files = Object.fromEntries(Object.entries(more).map(([name, file]) => [name, join(this.root, file)]));
    this.env = { PATH, HOME: this.root, ...("GIT_CONFIG_SYSTEM" in more ? {} : { GIT_CONFIG_NOSYSTEM: "1" }), ...files };
    mkdirSync(join(this.root, ".config/git"), { recursive: true });
    writeFileSync(join(this.root, ".gitconfig"), `[user]\n\tname = p\n\temail = p@example.org\n${settings}`);
  }

  sh(script: string, cwd = this.root): string {
    return execFileSync("sh", ["-ec", script], { cwd, env: this.env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  /** A fresh clone of a repository that a script fills. */
  clone(script: string): void {
    this.sh(`git init -q -b main made; cd made; ${script}; git add -A; git commit -qm first; cd ..; git clone -q made app`);
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.root, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.app, name), "latin1");
  }

  open(): Promise<Repo> {
    return openRepo({ id: APP, path: this.app, base: "main", scratch: this.root, env: this.env });
  }

  worktree(repo: Repo, name = "T-1"): ReturnType<typeof worktree> {
    return worktree({ root: this.root, user: this.app, repo, first: "" }, name);
  }

  /** Lands these files as a ticket's. */
  async land(repo: Repo, files: Record<string, string>, name = "T-1"): Promise<string> {
    const landing = await repo.land(await readyCandidate({ root: this.root, user: this.app, repo, first: "" }, files, name));
    return landing.as === "waiting" ? landing.reason : landing.as;
  }

  status(): string {
    return this.sh("git status --porcelain", this.app);
  }
}
