import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRepo } from "../../../../src/adapters/vcs/repository/git-repo.ts";
import { APP, cleanUp, git, setUp, statusOf, worktree, write } from "../real-repo.ts";

cleanUp();

const files = (cwd: string, commit: string) => git(cwd, "ls-tree", "-r", "--name-only", "-z", commit).split("\0").filter(Boolean);

describe("capture", () => {
  test("commits what is left, tracked and untracked, not what is ignored, and leaves the worktree clean", async () => {
    const of = await setUp();
    const made = await worktree(of);
    write(made.path, "a.txt", "one\n2\nthree\nfour\n");
    rmSync(join(made.path, "b.txt"));
    mkdirSync(join(made.path, "deep", "er"), { recursive: true });
    write(made.path, "deep/er/new.txt", "n\n");
    write(made.path, "noise.log", "noise\n");
    const change = await of.repo.capture(made);
    expect(change).toMatchObject({ additions: 3, deletions: 2 });
    expect(change.paths.map((p) => `${p.how} ${p.path}`)).toEqual(["modified a.txt", "deleted b.txt", "added deep/er/new.txt"]);
    expect(git(of.user, "rev-parse", made.branch)).toBe(change.tip);
    expect(git(of.user, "log", "-1", "--format=%an <%ae>|%s|%P", change.tip)).toBe(
      `loopdash <loopdash@localhost>|T-1: work|${of.first}`,
    );
    expect(statusOf(made.path)).toBe("");
    expect(existsSync(join(made.path, "noise.log"))).toBe(true);
    expect(git(of.user, "rev-parse", "main")).toBe(of.first);
  });

  test("is the agent's own commits where nothing is left, and can be repeated", async () => {
    const of = await setUp();
    const made = await worktree(of);
    write(made.path, "a.txt", "own\n");
    git(made.path, "commit", "-qam", "own");
    const own = git(made.path, "rev-parse", "HEAD");
    expect((await of.repo.capture(made)).tip).toBe(own);
    write(made.path, "more", "x\n");
    const more = await of.repo.capture(made);
    expect(git(of.user, "rev-parse", `${more.tip}^`)).toBe(own);
    expect(await of.repo.capture(made)).toEqual(more);
  });

  test("gives the same after a restart of the engine", async () => {
    const of = await setUp();
    const made = await worktree(of);
    write(made.path, "a.txt", "changed\n");
    write(made.path, "new", "x\n");
    const again = await openRepo({ id: APP, path: of.user, base: "main", scratch: of.root });
    const change = await again.capture(made);
    expect(change.paths.map((p) => p.path)).toEqual(["a.txt", "new"]);
    expect(await of.repo.capture(made)).toEqual(change);
    expect(statusOf(made.path)).toBe("");
  });

  test("finds nothing in an untouched worktree", async () => {
    const of = await setUp();
    expect(await of.repo.capture(await worktree(of))).toEqual({ tip: of.first, paths: [], additions: 0, deletions: 0 });
  });

  test("sees an edit of the same length at the same time of day", async () => {
    const of = await setUp();
    const made = await worktree(of);
    const { atime, mtime } = statSync(join(made.path, "b.txt"));
    write(made.path, "b.txt", "B\n");
    utimesSync(join(made.path, "b.txt"), atime, mtime);
    expect((await of.repo.capture(made)).paths.map((p) => p.path)).toEqual(["b.txt"]);
  });

  test("sees what the agent's index hides, and takes what it added by force", async () => {
    const of = await setUp();
    const made = await worktree(of);
    git(made.path, "update-index", "--assume-unchanged", "a.txt");
    git(made.path, "update-index", "--skip-worktree", "b.txt");
    write(made.path, "a.txt", "hidden\n");
    write(made.path, "b.txt", "hidden\n");
    write(made.path, "forced.log", "wanted\n");
    write(made.path, "other.log", "not wanted\n");
    git(made.path, "add", "-f", "forced.log");
    expect((await of.repo.capture(made)).paths.map((p) => p.path)).toEqual(["a.txt", "b.txt", "forced.log"]);
  });

  test("takes what the agent added by force after its last commit", async () => {
    const of = await setUp();
    const made = await worktree(of);
    write(made.path, "a.txt", "committed\n");
    git(made.path, "commit", "-qam", "work");
    write(made.path, "forced.log", "wanted\n");
    git(made.path, "add", "-f", "forced.log");
    expect((await of.repo.capture(made)).paths.map((p) => p.path)).toEqual(["a.txt", "forced.log"]);
  });

  test("follows the agent to another branch, which stays as it is, and back to the ticket's", async () => {
    const of = await setUp();
    const made = await worktree(of);
    git(made.path, "switch", "-q", "-c", "elsewhere");
    write(made.path, "a.txt", "elsewhere\n");
    git(made.path, "commit", "-qam", "elsewhere");
    const elsewhere = git(made.path, "rev-parse", "HEAD");
    write(made.path, "left", "x\n");
    const change = await of.repo.capture(made);
    expect(change.paths.map((p) => p.path)).toEqual(["a.txt", "left"]);
    expect(git(of.user, "rev-parse", made.branch, `${made.branch}^`, "elsewhere")).toBe(
      `${change.tip}\n${elsewhere}\n${elsewhere}`,
    );
    expect(git(made.path, "symbolic-ref", "--short", "HEAD")).toBe(made.branch);
    expect(statusOf(made.path)).toBe("");
    expect(await of.repo.capture(made)).toEqual(change);
  });

  test("takes the commits of a detached HEAD", async () => {
    const of = await setUp();
    const made = await worktree(of);
    git(made.path, "switch", "-q", "--detach");
    write(made.path, "a.txt", "detached\n");
    git(made.path, "commit", "-qam", "detached");
    const change = await of.repo.capture(made);
    expect(git(of.user, "rev-parse", made.branch)).toBe(change.tip);
    expect(git(made.path, "symbolic-ref", "--short", "HEAD")).toBe(made.branch);
  });

  test("flattens a history without the start onto it", async () => {
    const of = await setUp();
    const made = await worktree(of);
    git(made.path, "switch", "-q", "--orphan", "orphan");
    write(made.path, "only", "x\n");
    git(made.path, "add", "only");
    git(made.path, "commit", "-qm", "orphan");
    const change = await of.repo.capture(made);
    expect(git(of.user, "rev-parse", `${change.tip}^@`)).toBe(of.first);
    expect(files(of.user, change.tip)).toEqual(["only"]);
    expect(await of.repo.capture(made)).toEqual(change);
  });

  test("does without the .git file, the index, HEAD and the whole record that an agent deleted", async () => {
    const of = await setUp();
    const made = await worktree(of);
    const admin = git(made.path, "rev-parse", "--absolute-git-dir");
    write(made.path, "a.txt", "changed\n");
    for (const gone of [join(made.path, ".git"), join(admin, "index"), join(admin, "HEAD"), admin]) {
      rmSync(gone, { recursive: true });
      expect((await of.repo.capture(made)).paths.map((p) => p.path)).toEqual(["a.txt"]);
    }
    rmSync(made.path, { recursive: true });
    await expect(of.repo.capture(made)).rejects.toThrow(/no worktree at/);
    symlinkSync(of.user, made.path);
    await expect(of.repo.capture(made)).rejects.toThrow(/no worktree at/);
  });

  test("takes file names as they are", async () => {
    const of = await setUp();
    const made = await worktree(of);
    const names = [
      "-rf",
      "--help",
      "new\nline",
      'quo"te',
      "tab\there",
      "\u001b[31mred",
      "ünï",
      "日本",
      ":(top)x",
      " lead",
      "a -> b",
      "trail ",
    ];
    for (const name of names) write(made.path, name, "x\n");
    const change = await of.repo.capture(made);
    expect(change.paths.map((p) => p.path).sort()).toEqual([...names].sort());
    for (const name of names) rmSync(join(made.path, name));
    expect((await of.repo.capture(made)).paths).toEqual([]);
  });

  test("takes a file for a folder, a folder for a file, a link for a folder, and a changed mode", async () => {
    const of = await setUp((user) => {
      for (const dir of ["d1", "d2"]) {
        mkdirSync(join(user, dir));
        write(user, `${dir}/f`, "f\n");
      }
      git(user, "add", "-A");
      git(user, "commit", "-qm", "dirs");
    });
    const made = await worktree(of);
    rmSync(join(made.path, "a.txt"));
    mkdirSync(join(made.path, "a.txt"));
    write(made.path, "a.txt/f", "f\n");
    rmSync(join(made.path, "d1"), { recursive: true });
    write(made.path, "d1", "file now\n");
    renameSync(join(made.path, "d2"), join(of.root, "outside"));
    symlinkSync(join(of.root, "outside"), join(made.path, "d2"));
    chmodSync(join(made.path, "b.txt"), 0o755);
    const change = await of.repo.capture(made);
    expect(change.paths.map((p) => `${p.how} ${p.mode} ${p.path}`)).toEqual([
      "deleted file a.txt",
      "added file a.txt/f",
      "modified executable b.txt",
      "added file d1",
      "deleted file d1/f",
      "added symlink d2",
      "deleted file d2/f",
    ]);
    expect(readFileSync(join(of.root, "outside", "f"), "utf8")).toBe("f\n");
  });

  test("does the same where the link is ignored", async () => {
    const of = await setUp((user) => {
      mkdirSync(join(user, "d"));
      write(user, "d/f", "f\n");
      git(user, "add", "-A");
      git(user, "commit", "-qm", "dir");
    });
    const made = await worktree(of);
    renameSync(join(made.path, "d"), join(of.root, "outside"));
    symlinkSync(join(of.root, "outside"), join(made.path, "d"));
    appendFileSync(join(made.path, ".gitignore"), "d\n");
    expect((await of.repo.capture(made)).paths.map((p) => `${p.how} ${p.path}`)).toEqual(["modified .gitignore", "deleted d/f"]);
  });

  test("obeys the repository's own ignore list and line ends", async () => {
    const of = await setUp((user) => {
      git(user, "config", "core.autocrlf", "input");
      appendFileSync(join(user, ".git", "info", "exclude"), "private\n");
    });
    const made = await worktree(of);
    write(made.path, "private", "x\n");
    write(made.path, "a.txt", "one\r\ntwo\r\nthree\r\n");
    write(made.path, "b.txt", "b\r\nc\r\n");
    const change = await of.repo.capture(made);
    expect(change.paths.map((p) => p.path)).toEqual(["b.txt"]);
    expect(git(of.user, "show", `${change.tip}:b.txt`)).toBe("b\nc");
  });

  test("tells of embedded repositories, with and without a commit", async () => {
    const of = await setUp();
    const made = await worktree(of);
    for (const name of ["full", "empty"]) git(made.path, "init", "-q", name);
    write(made.path, "full/x", "x\n");
    git(join(made.path, "full"), "add", "-A");
    git(join(made.path, "full"), "commit", "-qm", "x");
    write(made.path, "empty/x", "x\n");
    write(made.path, "a.txt", "changed\n");
    const change = await of.repo.capture(made);
    expect(change.paths).toEqual([
      { path: "a.txt", how: "modified", mode: "file" },
      { path: "full", how: "added", mode: "submodule" },
      { path: "empty", how: "added", mode: "submodule" },
    ]);
    expect((await of.repo.change({ from: of.first, tip: change.tip })).paths.map((p) => p.mode)).toEqual(["file", "submodule"]);
  });
});
