import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import { APP, cleanUp, git, readyCandidate, type Setting, setUp, statusOf, tempDir, trap, worktree, write } from "./real-repo.ts";

cleanUp();

type Worktree = Awaited<ReturnType<typeof worktree>>;

/** Everything that is done with a ticket, after an agent left its worktree in some state. */
async function wholeWay(setting: Setting, made: Worktree): Promise<void> {
  const { tip } = await setting.repo.capture(made);
  await setting.repo.capture(made);
  await setting.repo.writePatch({ from: made.from, tip, file: join(setting.root, "patch"), maxBytes: 100_000 });
  await setting.repo.change({ from: made.from, tip });
  const candidate = await setting.repo.candidate({ tip, message: "m" });
  if (!candidate.ok) throw new Error(candidate.detail);
  await setting.repo.checkout({ commit: candidate.commit, path: join(setting.root, "judge") });
  expect(await setting.repo.land({ from: candidate.base, to: candidate.commit })).toEqual({ as: "landed" });
  await setting.repo.removeWorktree({ ...made, deleteBranch: true });
  await worktree(setting, "T-2");
  await setting.repo.contains(candidate.commit);
  await openRepo({ id: APP, path: setting.user, base: "main", scratch: setting.root });
}

test("a .git file replaced by a repository with a monitor runs nothing", async () => {
  const of = await setUp();
  const made = await worktree(of);
  const bait = trap(of.root);
  rmSync(join(made.path, ".git"));
  git(made.path, "init", "-q");
  git(made.path, "config", "core.fsmonitor", bait.command);
  write(made.path, "a.txt", "changed\n");
  await wholeWay(of, made);
  expect(bait.sprung()).toBe(false);
  expect(git(of.user, "show", "main:a.txt")).toBe("changed");
});

/** Names a program in a repository's own configuration, in every way a status of it could start. */
function baitInside(repository: string, command: string): void {
  git(repository, "config", "filter.f.clean", command);
  writeFileSync(join(repository, ".git", "info", "attributes"), "* filter=f\n");
  git(repository, "config", "core.fsmonitor", command);
}

test("an embedded repository with a monitor and a filter runs nothing, as a new one and as one that is tracked", async () => {
  const of = await setUp();
  const bait = trap(of.root);
  for (const name of ["T-1", "T-3"]) {
    const made = await worktree(of, name);
    const sub = join(made.path, `sub-${name}`);
    git(made.path, "init", "-q", sub);
    write(sub, "x", "x\n");
    git(sub, "add", "-A");
    git(sub, "commit", "-qm", "x");
    if (name === "T-3") {
      git(made.path, "add", "-A");
      git(made.path, "commit", "-qm", "gitlink");
    }
    baitInside(sub, bait.command);
    // Of the same size, so that its content would have to be looked at.
    write(sub, "x", "y\n");
    write(made.path, "a.txt", `${name}\n`);
    const change = await of.repo.capture(made);
    expect(change.paths).toContainEqual({ path: `sub-${name}`, how: "added", mode: "submodule" });
    await of.repo.capture(made);
  }
  expect(bait.sprung()).toBe(false);
});

test("an embedded repository in the user's own checkout is not looked into", async () => {
  const bait = trap(tempDir());
  const of = await setUp((user) => {
    const sub = join(user, "sub");
    git(user, "init", "-q", sub);
    write(sub, "x", "x\n");
    git(sub, "add", "-A");
    git(sub, "commit", "-qm", "x");
    git(user, "add", "-A");
    git(user, "commit", "-qm", "gitlink");
    baitInside(sub, bait.command);
    // Of the same size, so that its content would have to be looked at.
    write(sub, "x", "y\n");
  });
  const ready = await readyCandidate(of, { "a.txt": "changed\n" });
  expect(await of.repo.land(ready)).toEqual({ as: "landed" });
  expect(bait.sprung()).toBe(false);
});

test("planted hooks run nothing", async () => {
  const of = await setUp();
  const bait = trap(of.root);
  const hooks = ["post-checkout", "pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "reference-transaction"];
  for (const hook of [
    ...hooks,
    "post-index-change",
    "post-merge",
    "pre-auto-gc",
    "post-rewrite",
    "update",
    "fsmonitor-watchman",
  ]) {
    writeFileSync(join(of.user, ".git", "hooks", hook), `#!/bin/sh\n${bait.command}\n`);
    chmodSync(join(of.user, ".git", "hooks", hook), 0o755);
  }
  const made = await worktree(of);
  write(made.path, "a.txt", "changed\n");
  await wholeWay(of, made);
  expect(bait.sprung()).toBe(false);
});

test("drivers and programs that a worker names in the configuration run nothing", async () => {
  const of = await setUp();
  const made = await worktree(of);
  const bait = trap(of.root);
  for (const [key, value] of [
    ["filter.odd=name.clean", bait.command],
    ["filter.odd=name.smudge", bait.command],
    ["filter.odd=name.required", "true"],
    ["filter.p.process", bait.command],
    ["filter.p.required", "true"],
    ["diff.d.command", bait.command],
    ["diff.d.textconv", bait.command],
    ["diff.external", bait.command],
    ["merge.m.driver", `${bait.command} %A`],
    ["core.fsmonitor", bait.command],
    ["core.hooksPath", of.root],
    ["core.alternateRefsCommand", bait.command],
    ["core.pager", bait.command],
    ["core.editor", bait.command],
    ["core.sshCommand", bait.command],
    ["gpg.program", bait.command],
    ["commit.gpgSign", "true"],
  ] as const) {
    // As bytes: "=" in a section name is beyond what some tools can write.
    const [section = "", name = "", last = ""] = /^([^.]+)\.(?:(.*)\.)?([^.]+)$/.exec(key)?.slice(1) ?? [];
    appendFileSync(
      join(of.user, ".git", "config"),
      `[${section}${name ? ` "${name}"` : ""}]\n\t${last} = "${value.replaceAll('"', '\\"')}"\n`,
    );
  }
  write(made.path, ".gitattributes", "*.odd filter=odd=name\n*.p filter=p\n* diff=d merge=m\n");
  for (const name of ["x.odd", "x.p", "y"]) write(made.path, name, "content\n");
  write(made.path, "a.txt", "agent\ntwo\nthree\n");
  await of.repo.capture(made);
  // Both sides changed the file, so a merge driver would have its turn.
  write(of.user, "a.txt", "one\ntwo\nperson\n");
  git(
    of.user,
    "-c",
    "commit.gpgSign=false",
    "-c",
    "core.fsmonitor=",
    "-c",
    "core.hooksPath=/dev/null",
    "commit",
    "-qam",
    "person",
  );
  // Up to its last step, a start: its base has such files now.
  await expect(wholeWay(of, made)).rejects.toThrow(/x\.odd has the filter "odd=name"/);
  expect(bait.sprung()).toBe(false);
  expect(git(of.user, "show", "main:y")).toBe("content");
});

test("a worktree's own configuration file runs nothing", async () => {
  const of = await setUp((user) => git(user, "config", "extensions.worktreeConfig", "true"));
  const made = await worktree(of);
  const bait = trap(of.root);
  git(made.path, "config", "--worktree", "core.fsmonitor", bait.command);
  git(made.path, "config", "--worktree", "filter.f.clean", bait.command);
  write(made.path, ".gitattributes", "* filter=f\n");
  write(made.path, "a.txt", "changed\n");
  await wholeWay(of, made);
  expect(bait.sprung()).toBe(false);
});

test("a commondir that points to the worker's own repository is not followed", async () => {
  const of = await setUp();
  const made = await worktree(of);
  const bait = trap(of.root);
  const fake = join(of.root, "fake");
  git(of.root, "init", "-q", "--bare", fake);
  git(fake, "config", "core.fsmonitor", bait.command);
  const admin = git(made.path, "rev-parse", "--absolute-git-dir");
  write(admin, "commondir", `${fake}\n`);
  write(made.path, "a.txt", "changed\n");
  await wholeWay(of, made);
  expect(bait.sprung()).toBe(false);
});

test("replace refs and grafts do not change what is judged or landed", async () => {
  const of = await setUp();
  const made = await worktree(of);
  write(made.path, "a.txt", "agent\n");
  const { tip } = await of.repo.capture(made);
  const blob = git(made.path, "rev-parse", `${of.first}:b.txt`);
  write(made.path, "evil", "evil\n");
  git(made.path, "replace", blob, git(made.path, "hash-object", "-w", "evil"));
  git(made.path, "replace", of.first, tip);
  const path = join(of.root, "judge");
  await of.repo.checkout({ commit: tip, path });
  expect(git(path, "--no-replace-objects", "show", "HEAD:b.txt")).toBe("b");
  expect(statusOf(path)).toBe("");
  expect(await of.repo.contains(tip)).toBe(false);
});

test("a worktree whose HEAD was put on the base does not pass for the user's checkout", async () => {
  const of = await setUp();
  const other = await worktree(of, "T-9");
  git(other.path, "symbolic-ref", "HEAD", "refs/heads/main");
  write(other.path, "a.txt", "dirty\n");
  const ready = await readyCandidate(of, { "b.txt": "landed\n" });
  expect(await of.repo.land(ready)).toEqual({ as: "landed" });
  expect(statusOf(of.user)).toBe("");
});

test.each([
  ["capture", (setting: Setting, made: Worktree) => setting.repo.capture(made)],
  ["addWorktree", (setting: Setting, made: Worktree) => setting.repo.addWorktree({ ...made, from: unborn(setting) })],
  ["removeWorktree", (setting: Setting, made: Worktree) => setting.repo.removeWorktree({ ...made, deleteBranch: true })],
] as const)("a ticket's branch that was made to mean the base does not move the base: %s", async (_, act) => {
  const of = await setUp();
  for (const name of ["symbolic", "linked"]) {
    const made = await worktree(of, name);
    write(made.path, "a.txt", "unchecked\n");
    const ref = join(of.user, ".git/refs/heads", made.branch);
    rmSync(ref);
    if (name === "symbolic") writeFileSync(ref, "ref: refs/heads/main\n");
    else symlinkSync("refs/heads/main", ref);
    await act(of, made);
    expect(git(of.user, "rev-parse", "main")).toBe(of.first);
    expect(statusOf(of.user)).toBe("");
  }
});

/** A commit that is on no branch. */
function unborn(setting: Setting): string {
  return git(setting.user, "commit-tree", "main^{tree}", "-m", "unborn");
}

test("a base that is a symbolic ref moves the branch it names", async () => {
  const of = await setUp((user) => {
    git(user, "branch", "-m", "main", "trunk");
    git(user, "symbolic-ref", "refs/heads/main", "refs/heads/trunk");
  });
  const { from, to } = await readyCandidate(of, { "b.txt": "landed\n" });
  expect(await of.repo.land({ from, to })).toEqual({ as: "landed" });
  expect(git(of.user, "rev-parse", "trunk", "main")).toBe(`${to}\n${to}`);
});

test("links planted where the engine writes are not written through", async () => {
  const of = await setUp();
  const made = await worktree(of);
  const admin = git(made.path, "rev-parse", "--absolute-git-dir");
  git(made.path, "symbolic-ref", "HEAD", "refs/heads/elsewhere");
  const targets = ["HEAD", "index"].map((name) => {
    const target = join(of.root, `precious-${name}`);
    copyFileSync(join(admin, name), target);
    rmSync(join(admin, name));
    symlinkSync(target, join(admin, name));
    return target;
  });
  const before = targets.map((target) => readFileSync(target, "base64"));
  write(made.path, "a.txt", "changed\n");
  await of.repo.capture(made);
  expect(targets.map((target) => readFileSync(target, "base64"))).toEqual(before);
  expect(lstatSync(join(admin, "index")).isFile()).toBe(true);
});

test("a folder of the worktree that became a link is not written or read through", async () => {
  const of = await setUp((user) => {
    mkdirSync(join(user, "d"));
    write(user, "d/f", "f\n");
    git(user, "add", "-A");
    git(user, "commit", "-qm", "d");
  });
  const ready = await readyCandidate(of, { "d/f": "landed\n" });
  const outside = join(of.root, "outside");
  mkdirSync(outside);
  write(outside, "f", "f\n");
  rmSync(join(of.user, "d"), { recursive: true });
  symlinkSync(outside, join(of.user, "d"));
  expect(await of.repo.land(ready)).toMatchObject({ as: "waiting" });
  expect(git(outside, "hash-object", "f")).toBe(git(of.user, "rev-parse", "main:d/f"));
});
