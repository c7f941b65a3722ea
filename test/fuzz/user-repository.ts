import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

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

/** No command of a person's may wait longer on a repository of this size. Milliseconds. */
const GIT_MS = 20_000;

/**
 * Errors and not mere advice (`--strict`) is what is looked for. What a file of the worker's holds is content like any other: git
 * calls a long line in a .gitattributes an error of the repository.
 */
const FSCK = ["-c", "fsck.gitattributesLineLength=ignore", "-c", "fsck.gitattributesLarge=ignore", "fsck", "--no-dangling"];

/** What must be as before when all is over. */
export interface RepositoryState {
  readonly refs: string;
  readonly files: string;
  readonly folders: string;
}

/** A person's repository with work in it, and the folder around it. */
export class UserRepository {
  readonly path: string;
  readonly gitDir: string;
  readonly #folder: string;

  /** Made once for all inputs of a process's folder, and copied for each. */
  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, "user");
    this.gitDir = join(this.path, ".git");
    mkdirSync(join(folder, "worktrees"));
    const template = join(folder, "..", `template-${process.pid}`);
    if (!existsSync(template)) makeTemplate(template);
    cpSync(template, this.path, { recursive: true, verbatimSymlinks: true });
  }

  state(): RepositoryState {
    const refs = this.#git("for-each-ref").stdout + this.#git("rev-parse", "HEAD").stdout;
    return { refs, files: this.#files(), folders: this.#folders() };
  }

  /** What a person would meet while the worktree is there. */
  problemBeside(): string | undefined {
    return this.#failing(["branch", "--list"], ["worktree", "list"], FSCK);
  }

  /** What is not as it was once the worktree is gone. */
  problemAfter(before: RepositoryState): string | undefined {
    const failing = this.#failing(["worktree", "prune"], FSCK, ["status", "--porcelain"]);
    if (failing !== undefined) return failing;
    const now = this.state();
    const changed = (["refs", "files", "folders"] as const).find((key) => now[key] !== before[key]);
    if (changed !== undefined) return `its ${changed} are not as before: ${difference(before[changed], now[changed])}`;
    const status = this.#git("status", "--porcelain").stdout;
    if (status !== "") return `the person's checkout is changed: ${status}`;
    return this.#failing(["gc", "-q"]);
  }

  #failing(...calls: readonly string[][]): string | undefined {
    for (const args of calls) {
      const { status, stderr, error } = this.#git(...args);
      if (error !== undefined) return `git ${args[0]} did not end within ${GIT_MS / 1000} s: ${error.message}`;
      if (status !== 0 || /^(?:error|fatal)/m.test(stderr)) return `git ${args.join(" ")} fails: ${stderr.slice(0, 500)}`;
    }
    return undefined;
  }

  #git(...args: string[]) {
    return spawnSync("git", args, { cwd: this.path, env: ENV, encoding: "utf8", timeout: GIT_MS, killSignal: "SIGKILL" });
  }

  /** The files of the git folder, but objects, which stay until git clears them away, and the log of HEAD. */
  #files(): string {
    const names = readdirSync(this.gitDir, { recursive: true, withFileTypes: true, encoding: "utf8" })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.gitDir.length + 1))
      .filter((name) => !/^objects\/(?:[0-9a-f]{2}\/[0-9a-f]{38}|pack\/pack-[0-9a-f]{40}\.(?:pack|idx|rev))$/.test(name));
    const kept = ["HEAD", "config", "info/exclude", "packed-refs"].filter((name) => names.includes(name));
    return [...names.toSorted(), ...kept.map((name) => readFileSync(join(this.gitDir, name), "utf8"))].join("\n");
  }

  /** What lies beside the repository, but what loopdash keeps for itself while it runs. */
  #folders(): string {
    const [scratch] = readdirSync(join(this.#folder, "scratch"));
    const own =
      scratch === undefined ? [] : readdirSync(join(this.#folder, "scratch", scratch)).filter((name) => /^[aw]-/.test(name));
    return JSON.stringify([readdirSync(this.#folder).toSorted(), readdirSync(join(this.#folder, "worktrees")), own]);
  }
}

/** The lines that only one of them has. */
function difference(before: string, now: string): string {
  const [old, young] = [before, now].map((text) => text.split("\n"));
  const gone = old?.filter((line) => !young?.includes(line)).map((line) => `-${line}`) ?? [];
  const come = young?.filter((line) => !old?.includes(line)).map((line) => `+${line}`) ?? [];
  return [...gone, ...come].join(", ");
}

function makeTemplate(path: string): void {
  const making = `${path}-making`;
  const git = (...args: string[]) => execFileSync("git", args, { cwd: making, env: ENV, stdio: "ignore" });
  mkdirSync(join(making, "src"), { recursive: true });
  git("init", "-q", "-b", "main", "--template=");
  mkdirSync(join(making, ".git/info"));
  writeFileSync(join(making, ".git/info/exclude"), "*.swp\n");
  writeFileSync(join(making, "a.txt"), "one\ntwo\n");
  writeFileSync(join(making, "src/x.js"), "export const x = 1;\n");
  writeFileSync(join(making, ".gitignore"), "*.log\n");
  symlinkSync("a.txt", join(making, "link"));
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  git("tag", "v1");
  git("branch", "kept");
  writeFileSync(join(making, "a.txt"), "one\ntwo\nthree\n");
  git("commit", "-qam", "second");
  renameSync(making, path);
}
