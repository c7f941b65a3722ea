import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRepo } from "../../../../src/adapters/vcs/repository/git-repo.ts";
import { RepoUnavailable } from "../../../../src/ports/vcs.ts";
import {
  APP,
  cleanUp,
  git,
  newRepo,
  readyCandidate,
  type Setting,
  setUp,
  statusOf,
  tempDir,
  worktree,
  write,
} from "../real-repo.ts";

cleanUp();

/** What a landing could change: refs, index and files of the user's checkout. */
function everything(setting: Setting): string {
  return [
    git(setting.user, "for-each-ref"),
    git(setting.user, "ls-files", "-s"),
    statusOf(setting.user),
    git(setting.user, "diff", "HEAD"),
    git(setting.user, "reflog", "show", "main"),
  ].join("\n");
}

describe("land, with the base checked out", () => {
  test("moves the base and brings the checkout along, untracked files stay", async () => {
    const of = await setUp();
    const { from, to } = await readyCandidate(of, { "a.txt": "landed\n", new: "x\n" });
    write(of.user, "mine", "untracked\n");
    expect(await of.repo.land({ from, to })).toEqual({ as: "landed" });
    expect(git(of.user, "rev-parse", "main")).toBe(to);
    expect(readFileSync(join(of.user, "a.txt"), "utf8")).toBe("landed\n");
    expect(statusOf(of.user)).toBe("?? mine");
    expect(await of.repo.land({ from, to })).toEqual({ as: "landed" });
    expect(statusOf(of.user)).toBe("?? mine");
  });

  test("a file that was only touched is no obstacle", async () => {
    const of = await setUp();
    const ready = await readyCandidate(of, { "a.txt": "landed\n" });
    utimesSync(join(of.user, "a.txt"), new Date(0), new Date(0));
    expect(await of.repo.land(ready)).toEqual({ as: "landed" });
    expect(statusOf(of.user)).toBe("");
  });

  test("a file that takes a folder's place and a folder that takes a file's are no obstacle", async () => {
    const of = await setUp((user) => {
      mkdirSync(join(user, "d"));
      write(user, "d/f", "f\n");
      git(user, "add", "-A");
      git(user, "commit", "-qm", "d");
    });
    const made = await worktree(of);
    rmSync(join(made.path, "d"), { recursive: true });
    write(made.path, "d", "file\n");
    rmSync(join(made.path, "a.txt"));
    mkdirSync(join(made.path, "a.txt"));
    write(made.path, "a.txt/f", "f\n");
    const { tip } = await of.repo.capture(made);
    expect(await of.repo.land({ from: of.first, to: tip })).toEqual({ as: "landed" });
    expect(statusOf(of.user)).toBe("");
  });

  const obstacles: Record<string, readonly [prepare: (setting: Setting) => void, reason: RegExp]> = {
    "an uncommitted change in another file": [
      (options) => write(options.user, "b.txt", "mine\n"),
      /uncommitted changes: b\.txt$/,
    ],
    "a staged change": [
      (options) => {
        write(options.user, "b.txt", "mine\n");
        git(options.user, "add", "b.txt");
      },
      /uncommitted changes: b\.txt$/,
    ],
    "a deleted file": [(options) => rmSync(join(options.user, "b.txt")), /uncommitted changes: b\.txt$/],
    "an untracked file in the way": [(options) => write(options.user, "new", "mine\n"), /new.*overwritten/],
    "an ignored file in the way": [(options) => write(options.user, "x.log", "mine\n"), /x\.log.*overwritten/],
    "an ignored file where a folder goes": [
      (options) => {
        write(options.user, ".git/info/exclude", "dir\n");
        write(options.user, "dir", "mine\n");
      },
      /dir.*overwritten/,
    ],
    "an untracked folder in the way": [
      (options) => {
        mkdirSync(join(options.user, "new"));
        write(options.user, "new/mine", "mine\n");
      },
      /new.*overwritten/,
    ],
    "another git at work": [(options) => write(options.user, ".git/index.lock", ""), /another git process/],
    "a merge under way": [(options) => write(options.user, ".git/MERGE_HEAD", `${options.first}\n`), /a merge is under way/],
    "a rebase of the base under way": [
      (options) => {
        git(options.user, "switch", "-q", "--detach");
        mkdirSync(join(options.user, ".git", "rebase-merge"));
        write(options.user, ".git/rebase-merge/head-name", "refs/heads/main\n");
      },
      /a rebase is under way/,
    ],
    "a sparse checkout": [(options) => git(options.user, "sparse-checkout", "set", "x"), /sparse checkout/],
  };

  test.each(Object.entries(obstacles))("waits for %s, and changes nothing", async (_, [prepare, reason]) => {
    const of = await setUp();
    const ready = await readyCandidate(of, { "a.txt": "landed\n", new: "x\n" });
    const made = join(of.root, "T-1");
    write(made, "x.log", "landed\n");
    mkdirSync(join(made, "dir"));
    write(made, "dir/f", "landed\n");
    git(made, "add", "-f", "x.log");
    const { tip } = await of.repo.capture({ path: made, branch: "loopdash/r/T-1", from: of.first, message: "m" });
    const candidate = await of.repo.candidate({ tip, message: "m" });
    const to = candidate.ok ? candidate.commit : "";
    prepare(of);
    const before = everything(of);
    const landing = await of.repo.land({ from: ready.from, to });
    expect(landing).toMatchObject({ as: "waiting" });
    expect(landing.as === "waiting" && landing.reason).toMatch(reason);
    expect(everything(of)).toBe(before);
  });

  test("a locked base is an outage, and nothing changes", async () => {
    const of = await setUp();
    const ready = await readyCandidate(of, { "a.txt": "landed\n" });
    write(of.user, ".git/refs/heads/main.lock", "");
    const before = everything(of);
    await expect(of.repo.land(ready)).rejects.toThrow(/could not be moved.*main\.lock/s);
    await expect(of.repo.land(ready)).rejects.toBeInstanceOf(RepoUnavailable);
    expect(everything(of)).toBe(before);
  });

  test("says a file's name so that a terminal cannot be hurt", async () => {
    const evil = "\u001b]0;x\u0007\u202e";
    const of = await setUp((user) => {
      write(user, evil, "x\n");
      git(user, "add", "-A");
      git(user, "commit", "-qm", "evil");
    });
    const ready = await readyCandidate(of, { "a.txt": "landed\n" });
    write(of.user, evil, "y\n");
    const landing = await of.repo.land(ready);
    expect(landing.as === "waiting" && landing.reason).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u202e]+$/);
  });

  test("completes a landing that was cut off after the base had moved", async () => {
    const of = await setUp();
    const { from, to } = await readyCandidate(of, { "a.txt": "landed\n", new: "x\n" });
    git(of.user, "update-ref", "refs/heads/main", to, from);
    expect(statusOf(of.user)).not.toBe("");
    expect(await of.repo.land({ from, to })).toEqual({ as: "landed" });
    expect(statusOf(of.user)).toBe("");
    expect(readFileSync(join(of.user, "new"), "utf8")).toBe("x\n");
  });

  test("does not touch a person's work when it completes one", async () => {
    const of = await setUp();
    const { from, to } = await readyCandidate(of, { "a.txt": "landed\n" });
    git(of.user, "update-ref", "refs/heads/main", to, from);
    write(of.user, "b.txt", "mine\n");
    const before = everything(of);
    expect(await of.repo.land({ from, to })).toEqual({ as: "landed" });
    expect(everything(of)).toBe(before);
  });

  test("has landed where a person built on top of it", async () => {
    const of = await setUp();
    const { from, to } = await readyCandidate(of, { "a.txt": "landed\n" });
    await of.repo.land({ from, to });
    git(of.user, "commit", "-q", "--allow-empty", "-m", "on top");
    write(of.user, "b.txt", "mine\n");
    expect(await of.repo.land({ from, to })).toEqual({ as: "landed" });
    expect(statusOf(of.user)).toBe(" M b.txt");
  });

  test("never moves the base back to a commit that it holds already", async () => {
    const of = await setUp();
    const { from, to } = await readyCandidate(of, { "a.txt": "landed\n" });
    await of.repo.land({ from, to });
    write(of.user, "b.txt", "on top\n");
    git(of.user, "add", "-A");
    git(of.user, "commit", "-q", "-m", "on top");
    const tip = git(of.user, "rev-parse", "main");
    const before = everything(of);
    expect(await of.repo.land({ from: tip, to })).toEqual({ as: "landed" });
    expect(everything(of)).toBe(before);
  });

  test("is told that the base moved, and takes no file along", async () => {
    const of = await setUp();
    const ready = await readyCandidate(of, { "a.txt": "landed\n" });
    git(of.user, "commit", "-q", "--allow-empty", "-m", "moved");
    const before = everything(of);
    expect(await of.repo.land(ready)).toEqual({ as: "moved", tip: git(of.user, "rev-parse", "main") });
    expect(everything(of)).toBe(before);
  });

  test("one of two landings from the same tip wins, the other moved", async () => {
    const of = await setUp();
    const one = await readyCandidate(of, { "a.txt": "one\n" }, "T-1");
    const two = await readyCandidate(of, { "b.txt": "two\n" }, "T-2");
    const other = await openRepo({ id: APP, path: of.user, base: "main", scratch: of.root });
    const landings = await Promise.all([of.repo.land(one), other.land(two)]);
    const landed = landings.filter((each) => each.as === "landed");
    expect(landed.length).toBeLessThanOrEqual(1);
    expect([of.first, one.to, two.to]).toContain(git(of.user, "rev-parse", "main"));
    expect(git(of.user, "rev-parse", "main") === of.first).toBe(landed.length === 0);
    expect(statusOf(of.user)).toBe("");
  });
});

describe("land, with the base checked out elsewhere or nowhere", () => {
  test("leaves the user's checkout of another branch alone, dirty or not", async () => {
    const of = await setUp();
    const ready = await readyCandidate(of, { "a.txt": "landed\n" });
    git(of.user, "switch", "-q", "-c", "mine");
    write(of.user, "a.txt", "dirty\n");
    expect(await of.repo.land(ready)).toEqual({ as: "landed" });
    expect(git(of.user, "rev-parse", "mine", "main")).toBe(`${of.first}\n${ready.to}`);
    expect(statusOf(of.user)).toBe(" M a.txt");
  });

  test("brings a linked worktree of the user along, and waits for it where it is dirty", async () => {
    const of = await setUp();
    git(of.user, "switch", "-q", "-c", "mine");
    const linked = join(of.root, "linked");
    git(of.user, "worktree", "add", "-q", linked, "main");
    const ready = await readyCandidate(of, { "a.txt": "landed\n" });
    write(linked, "b.txt", "dirty\n");
    expect(await of.repo.land(ready)).toMatchObject({ as: "waiting", reason: `${linked} has uncommitted changes: b.txt` });
    git(linked, "checkout", "-q", "b.txt");
    expect(await of.repo.land(ready)).toEqual({ as: "landed" });
    expect(readFileSync(join(linked, "a.txt"), "utf8")).toBe("landed\n");
    expect(statusOf(linked) + statusOf(of.user)).toBe("");
  });

  test("brings every checkout of the base along, and a record without a folder is no obstacle", async () => {
    const of = await setUp();
    const linked = join(of.root, "linked");
    git(of.user, "worktree", "add", "-q", "--force", linked, "main");
    git(of.user, "worktree", "add", "-q", "--force", join(of.root, "gone"), "main");
    rmSync(join(of.root, "gone"), { recursive: true });
    expect(await of.repo.land(await readyCandidate(of, { "a.txt": "landed\n" }))).toEqual({ as: "landed" });
    expect(statusOf(linked) + statusOf(of.user)).toBe("");
  });

  test("works in a bare repository and in one opened by a linked worktree", async () => {
    const root = tempDir();
    const user = newRepo(root);
    git(root, "clone", "-q", "--bare", user, "bare.git");
    git(user, "worktree", "add", "-q", "-b", "side", join(root, "side"));
    for (const path of [join(root, "bare.git"), join(root, "side")]) {
      const repo = await openRepo({ id: APP, path, base: "main", scratch: root });
      const of = { root, user: path, repo, first: await repo.baseTip() };
      const ready = await readyCandidate(of, { "a.txt": "landed\n" });
      expect(await repo.land(ready)).toEqual({ as: "landed" });
      expect(git(path, "rev-parse", "main")).toBe(ready.to);
    }
    expect(statusOf(user)).toBe("");
    expect(readFileSync(join(user, "a.txt"), "utf8")).toBe("landed\n");
    expect(existsSync(join(root, "side", ".git"))).toBe(true);
  });

  test("works where the refs are packed", async () => {
    const of = await setUp((user) => git(user, "pack-refs", "--all", "--prune"));
    expect(await of.repo.baseTip()).toBe(of.first);
    expect(await of.repo.land(await readyCandidate(of, { "a.txt": "landed\n" }))).toEqual({ as: "landed" });
  });
});
