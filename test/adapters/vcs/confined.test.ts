import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { IDENTITY, type Made, ownDir, PATH, setUp, work } from "./confined-stage.ts";
import { cleanUp, git, type Setting, statusOf, worktree } from "./real-repo.ts";

cleanUp();

describe("a confined worker", { timeout: 60_000 }, () => {
  test("commits, amends, resets, branches beside its own; what it left is taken, and its objects only then", async () => {
    const of = await setUp();
    const made = await worktree(of);
    const script = `set -e; echo x > new; git add new; git ${IDENTITY} commit -qm one; echo y >> new; git add new
      git ${IDENTITY} commit -q --amend -m two; git branch loopdash/r/T-1x; git log --oneline; echo z > left; git status --short`;
    const result = await work(of, made, script);
    expect(result).toMatchObject({ ending: "exited", exitCode: 0 });
    expect(result.tail).toContain("?? left");
    const tip = readFileSync(join(ownDir(of), "refs/heads/loopdash/r/T-1"), "utf8").trim();
    expect(() => git(of.user, "cat-file", "-e", tip)).toThrow();
    expect(git(of.user, "rev-parse", made.branch)).toBe(of.first);
    const change = await of.repo.capture(made);
    expect(change.paths.map(({ path }) => path).toSorted()).toEqual(["left", "new"]);
    expect(git(of.user, "show", `${change.tip}:new`)).toBe("x\ny");
    expect(git(of.user, "show", `${change.tip}:left`)).toBe("z");
    expect(git(of.user, "rev-parse", made.branch)).toBe(change.tip);
    expect(git(of.user, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/loopdash/r/T-1\nrefs/heads/main");
    expect(git(of.user, "fsck", "--strict")).toBe("");
    expect(statusOf(of.user)).toBe("");
    await of.repo.removeWorktree({ ...made, deleteBranch: true });
    expect(() => ownDir(of)).toThrow();
  });

  const forbidden: Record<string, string> = {
    "a hook": 'echo x > "$CD/hooks/pre-commit"',
    "the configuration": 'git config user.evil 1 || echo "[a]" >> "$CD/config"',
    "the base": `git update-ref refs/heads/main $(git ${IDENTITY} commit-tree HEAD^{tree} -m x)`,
    "a tag": "git tag evil",
    "another ticket's branch": "git update-ref refs/heads/loopdash/other/T-2 HEAD",
    "all refs at once": "git pack-refs --all",
    "the stash": `echo x > a.txt; git ${IDENTITY} stash`,
    "the user's checkout": 'echo x > "$USER_DIR/a.txt"',
    "its .git file": "rm .git || echo 'gitdir: /tmp' > .git || mv .git x",
    "its record's commondir": 'echo /tmp > "$(git rev-parse --git-dir)/commondir"',
    "a new worktree": "git worktree add /tmp/x HEAD",
    "shared objects": "rm -rf /run/git/objects/*/* || touch /run/git/objects/x",
    "a replaced repository": "rm -rf .git; git init -q . && git config core.fsmonitor 'touch /tmp/PWNED'",
  };
  test.each(Object.entries(forbidden))("cannot touch %s", async (_, script) => {
    const of = await setUp();
    git(of.user, "branch", "loopdash/other/T-2");
    const made = await worktree(of);
    const everything = () =>
      [
        git(of.user, "for-each-ref"),
        statusOf(of.user),
        readFileSync(join(of.user, ".git/config"), "utf8"),
        readFileSync(join(made.path, ".git"), "utf8"),
        String(existsSync(join(of.user, ".git/hooks/pre-commit"))),
        git(of.user, "count-objects"),
        git(of.user, "worktree", "list"),
      ].join("\n");
    const before = everything();
    const result = await work(of, made, script);
    expect(result.ending).toBe("exited");
    expect(everything()).toBe(before);
    // Without the sandbox the same script does its harm: the case proves something.
    const free = await createExecutor().run({
      argv: ["/bin/sh", "-c", script.replaceAll("/run/git/objects", '"$CD"/objects')],
      cwd: made.path,
      env: { PATH, CD: join(of.user, ".git"), USER_DIR: of.user },
      logFile: join(of.root, "log2"),
      timeoutMs: 25_000,
      signal: new AbortController().signal,
      marker: `free-${process.pid}`,
    });
    rmSync("/tmp/x", { recursive: true, force: true });
    expect(free.exitCode === 0 || everything() !== before).toBe(true);
  });

  test("is not told where the repository's remotes are, nor with which credentials", async () => {
    const of = await setUp((user) => git(user, "remote", "add", "origin", "https://me:SECRET@forge.example/x.git"));
    const made = await worktree(of);
    const result = await work(of, made, 'git config --list; cat "$CD/config" "$CD"/logs/HEAD; grep -r SECRET "$CD" || true');
    expect(result.exitCode).toBe(0);
    expect(result.tail).not.toContain("SECRET");
  });
});

describe("what a confined worker left is not believed", { timeout: 60_000 }, () => {
  async function committed(setting: Setting): Promise<Made> {
    const made = await worktree(setting);
    const result = await work(setting, made, `set -e; echo x > new; git add new; git ${IDENTITY} commit -qm one`);
    expect(result.exitCode).toBe(0);
    return made;
  }

  test("an object that is not what its name says", async () => {
    const of = await setUp();
    const made = await committed(of);
    const blob = git(of.user, "hash-object", join(made.path, "new"));
    const other = git(of.user, "rev-parse", "main:a.txt");
    const file = (id: string) => join(id.slice(0, 2), id.slice(2));
    rmSync(join(ownDir(of), "objects", file(blob)), { force: true });
    writeFileSync(join(ownDir(of), "objects", file(blob)), readFileSync(join(of.user, ".git/objects", file(other))));
    await expect(of.repo.capture(made)).rejects.toThrow(/cannot be taken/);
    expect(() => git(of.user, "cat-file", "-e", blob)).toThrow();
  });

  test("a commit whose parts are missing", async () => {
    const of = await setUp();
    const made = await committed(of);
    const blob = git(of.user, "hash-object", join(made.path, "new"));
    rmSync(join(ownDir(of), "objects", blob.slice(0, 2), blob.slice(2)));
    await expect(of.repo.capture(made)).rejects.toThrow(/cannot be taken/);
  });

  test("a commit that fsck refuses", async () => {
    const of = await setUp();
    const made = await worktree(of);
    const script = `set -e; b=$(echo x | git hash-object -w --stdin)
      t=$(printf '100644 .git\\0' > /tmp/t; printf "$(echo $b | sed 's/../\\\\x&/g')" >> /tmp/t; git hash-object -w -t tree --literally /tmp/t)
      c=$(git ${IDENTITY} commit-tree $t -p HEAD -m evil); git update-ref HEAD $c`;
    const result = await work(of, made, script.replaceAll("/bin/sh", "/bin/bash"));
    if (result.exitCode !== 0) throw new Error(result.tail);
    await expect(of.repo.capture(made)).rejects.toThrow(/cannot be taken/);
    expect(git(of.user, "rev-parse", made.branch)).toBe(of.first);
  });

  test("further object folders that it names are not read", async () => {
    const of = await setUp();
    const made = await committed(of);
    const elsewhere = join(of.root, "elsewhere");
    const blob = git(of.user, "hash-object", join(made.path, "new"));
    mkdirSync(join(elsewhere, blob.slice(0, 2)), { recursive: true });
    const own = join(ownDir(of), "objects", blob.slice(0, 2), blob.slice(2));
    writeFileSync(join(elsewhere, blob.slice(0, 2), blob.slice(2)), readFileSync(own));
    rmSync(own);
    writeFileSync(join(ownDir(of), "objects/info/alternates"), `${elsewhere}\n`);
    await expect(of.repo.capture(made)).rejects.toThrow(/cannot be taken/);
  });

  test("links among its objects, and a link or a pipe in the place of its branch", async () => {
    const of = await setUp();
    const made = await committed(of);
    symlinkSync("/etc/passwd", join(ownDir(of), "objects/pack/x"));
    await expect(of.repo.capture(made)).rejects.toThrow(/something else than files/);
    rmSync(join(ownDir(of), "objects/pack/x"));
    const ref = join(ownDir(of), "refs/heads/loopdash/r/T-1");
    rmSync(ref);
    execFileSync("mkfifo", [ref]);
    const change = await of.repo.capture(made);
    expect(change.paths).toEqual([{ path: "new", how: "added", mode: "file" }]);
  });
});
