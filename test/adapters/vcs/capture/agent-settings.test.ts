import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { refuseDeletions } from "../../../../src/loop/steps/gates-step.ts";
import { IDENTITY, setUp, work } from "../confined-stage.ts";
import { cleanUp, git, type Setting, setUp as setUpOpen, worktree, write } from "../real-repo.ts";

cleanUp();

/** A repository with files in three folders, and a base commit behind its tip that another person made. */
function folders(user: string): void {
  for (const dir of ["a", "b", "b/c"]) {
    mkdirSync(join(user, dir));
    for (const name of ["x", "y"]) write(user, `${dir}/${name}`, `${name}\n`);
  }
  git(user, "add", "-A");
  git(user, "commit", "-qm", "folders");
  write(user, "late.txt", "late\n");
  git(user, "add", "-A");
  git(user, "commit", "-qm", "late", "--author", "late <late@example.org>", "--date", "2001-01-01T00:00:00Z");
  git(user, "switch", "-qc", "theirs", "HEAD~1");
  write(user, "theirs.txt", "theirs\n");
  git(user, "add", "-A");
  git(user, "commit", "-qm", "theirs");
  git(user, "switch", "-q", "main");
}

const COMMIT = `git ${IDENTITY} commit -qm work`;
const EDIT = "echo edit >> a/x";
const NARROW = `git sparse-checkout set a && ${EDIT}`;
/** The refresh of an index after all files of the checkout were written again, at a later time than they. */
const REFRESH = "sleep 0.01; git status >/dev/null; touch late.txt; git status >/dev/null";

/** Runs a script as an agent with its own git folder, or, without a sandbox, with the repository's. */
async function captured(script: string, isConfined = true) {
  const of: Setting = await (isConfined ? setUp(folders) : setUpOpen(folders));
  const made = await worktree(of);
  const text = `set -e; ${script.replaceAll("$GIT", isConfined ? "/run/git/own" : join(of.user, ".git/worktrees/T-1"))}`;
  if (isConfined) expect(await work(of, made, text)).toMatchObject({ exitCode: 0 });
  else
    execFileSync("/bin/sh", ["-c", text], { cwd: made.path, env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null" } });
  const keepAs = `${made.branch}@1`;
  const change = await of.repo.capture({ ...made, keepAs });
  const again = await of.repo.capture({ ...made, keepAs });
  expect(again.content).toBe(change.content);
  const shown = (path: string) => git(of.user, "show", `${change.tip}:${path}`);
  return { of, change, again, shown, paths: change.paths.map(({ how, path }) => `${how} ${path}`) };
}

describe("settings of an agent's git are not its change", { timeout: 60_000 }, () => {
  const views: Record<string, [script: string, paths?: readonly string[]]> = {
    "a sparse checkout in cone mode, committed": [`${NARROW}; ${COMMIT} -a`],
    "one with a sparse index, not committed": [`git sparse-checkout set --sparse-index a; ${EDIT}`],
    "one by patterns": [`git sparse-checkout set --no-cone '/a/*' '!/a/y'; ${EDIT}; ${COMMIT} -a`],
    "one whose index was removed": [`${NARROW}; rm $GIT/index`],
    "one whose index is broken, committed": [`${NARROW}; ${COMMIT} -a; echo broken > $GIT/index`],
    "one whose index is another one": [`export GIT_INDEX_FILE=/tmp/other; git read-tree HEAD; ${NARROW}; ${COMMIT} -a`],
    "one that was made and left again": [
      `git sparse-checkout set a; git sparse-checkout disable; ${EDIT}; rm b/x`,
      ["modified a/x", "deleted b/x"],
    ],
    "one in which a file was removed": [`${NARROW}; git rm -q a/y; ${COMMIT} -a`, ["modified a/x", "deleted a/y"]],
    "one by a split index": [
      `git config core.splitIndex true; git update-index --split-index; ${NARROW}; echo f > f.log; git add -f f.log`,
      ["modified a/x", "added f.log"],
    ],
    "files that are marked to be skipped": [`git update-index --skip-worktree b/x b/y; rm b/x b/y; ${EDIT}`],
    "files that are assumed unchanged": [
      `git update-index --assume-unchanged b/x a/x; rm b/x; ${EDIT}`,
      ["modified a/x", "deleted b/x"],
    ],
    "an index in which nothing is left": [`git rm -rq --cached .; ${EDIT}; rm b/x`, ["modified a/x", "deleted b/x"]],
    "an ignore list of its own": [
      "echo '*' > $GIT/info/exclude; git config core.excludesFile /dev/stdin; echo n > n",
      ["added n"],
    ],
    "line ends of its own": [`git config core.autocrlf true; rm -r a b; git checkout -q a b; ${REFRESH}; ${EDIT}; ${COMMIT} -a`],
    "line ends by its attributes": [
      `mkdir -p $GIT/info; echo '* text eol=crlf' > $GIT/info/attributes; rm -r a b; git checkout -q a b; ${EDIT}; ${COMMIT} -a; ${REFRESH}`,
    ],
    filters: [
      `mkdir -p $GIT/info; for f in clean smudge; do git config filter.rot.$f 'tr a-z n-za-m'; done; echo 'b/** filter=rot' > $GIT/info/attributes; rm -r b; git checkout -q b; ${EDIT}; ${COMMIT} a/x; ${REFRESH}`,
    ],
    "a mode in its index alone": [
      `git config core.fileMode false; ${EDIT}; git update-index --chmod=+x a/x a/y; ${COMMIT}; ${REFRESH}`,
      ["modified a/x", "modified a/y"],
    ],
    "names without case": [
      `git config core.ignoreCase true; git mv a/x a/X2; echo e >> a/X2; ${COMMIT} -a`,
      ["added a/X2", "deleted a/x"],
    ],
  };
  test.for(Object.entries(views))("%s", async ([, [script, paths = ["modified a/x"]]]) => {
    expect((await captured(script)).paths).toEqual(paths);
  });

  test("a clean filter does not change what the agent wrote", async () => {
    const filter = "mkdir -p $GIT/info; git config filter.up.clean 'tr a-z A-Z'; echo '* filter=up' > $GIT/info/attributes";
    const { shown, paths } = await captured(`${filter}; ${EDIT}; ${COMMIT} a/x`);
    expect([paths, shown("a/x")]).toEqual([["modified a/x"], "x\nedit"]);
  });

  test.for([`${NARROW}; ${COMMIT} -a`, `${NARROW}; rm $GIT/index`])("without a sandbox: %s", async (script) => {
    expect((await captured(script, false)).paths).toEqual(["modified a/x"]);
  });

  const heads: Record<string, [script: string, paths?: readonly string[]]> = {
    "an older commit, and an edit": [`git checkout -q HEAD~1; ${EDIT}`],
    "an older commit, and a commit on it": [`git switch -qc old HEAD~1; ${EDIT}; ${COMMIT} -a`],
    "an older commit alone": ["git checkout -q HEAD~2", []],
    "a person's branch, and an edit": [`git switch -q theirs; ${EDIT}`],
    "a person's branch, and a commit on it": [`git switch -qc mine theirs; ${EDIT}; ${COMMIT} -a`],
    "a person's branch alone": ["git switch -q theirs", []],
    "its start, written again": [`${EDIT}; git ${IDENTITY} commit -qa --amend -m again`],
  };
  test.for(Object.entries(heads))("HEAD at %s", async ([, [script, paths = ["modified a/x"]]]) => {
    const { of, change, ...found } = await captured(script);
    expect(found.paths).toEqual(paths);
    git(of.user, "merge-base", "--is-ancestor", of.first, change.tip);
  });

  test("HEAD at an older commit with work that conflicts is told", async () => {
    await expect(captured("git checkout -q HEAD~1; echo mine > late.txt")).rejects.toThrow(
      /not on the commit that the ticket started at.*late\.txt/,
    );
  });
});

describe("work that an agent left elsewhere", { timeout: 60_000 }, () => {
  const places: Record<string, [script: string, where: string, paths?: readonly string[]]> = {
    "a branch of its own": [`git switch -qc mine; ${EDIT}; ${COMMIT} -a; git switch -q -`, "branch mine"],
    "a packed branch": [
      `git switch -qc its/mine; ${EDIT}; ${COMMIT} -a; git switch -q -; git pack-refs --all`,
      "branch its/mine",
    ],
    "a stash": [`${EDIT}; git ${IDENTITY} stash -q`, "a stash"],
    "a stash with untracked files": [`${EDIT}; echo n > n; git ${IDENTITY} stash -qu`, "a stash", ["modified a/x", "added n"]],
    "a detached HEAD": [
      `b=$(git branch --show-current); git checkout -q --detach; ${EDIT}; ${COMMIT} -a; git checkout -q $b`,
      "a detached HEAD",
    ],
    "an open rebase": [
      `${EDIT}; ${COMMIT} -a; GIT_SEQUENCE_EDITOR='echo break >' git ${IDENTITY} rebase -qi HEAD~1`,
      "an open rebase",
    ],
    "an open cherry-pick": [
      `b=$(git branch --show-current); git checkout -q --detach; ${EDIT}; ${COMMIT} -a; p=$(git rev-parse HEAD); git checkout -q $b; echo $p > $GIT/CHERRY_PICK_HEAD`,
      "an open cherry-pick",
    ],
    "another worktree": [`git worktree add -q --detach /tmp/wt; (cd /tmp/wt; ${EDIT}; ${COMMIT} -a)`, "worktree /tmp/wt"],
    "another worktree in its own": [
      `git worktree add -q -b in .agent/wt; ${EDIT.replace("a/x", ".agent/wt/a/x")}`,
      "worktree .agent/wt",
    ],
    "a branch on an older commit": [
      `git worktree add -q -b older /tmp/wt HEAD~1; (cd /tmp/wt; ${EDIT}; ${COMMIT} -a)`,
      "branch older",
    ],
  };
  test.for(Object.entries(places))(
    "%s: is the change, if it is the only one",
    async ([, [script, where, paths = ["modified a/x"]]]) => {
      const { of, change, again, ...found } = await captured(script);
      expect(found.paths).toEqual(paths);
      // Files that were not committed become a commit at each capture, and the branch moves to the last one.
      const [left] = again.elsewhere ?? [];
      expect(change.elsewhere).toEqual([
        { where, branch: "loopdash/r/T-1@1.left-1", sha: expect.any(String), files: paths.length, isTaken: true },
      ]);
      expect(git(of.user, "rev-parse", left?.branch ?? "")).toBe(left?.sha);
      expect(git(of.user, "show", `${left?.branch}:a/x`)).toBe("x\nedit");
      expect(git(of.user, "fsck", "--strict", "--no-dangling")).toBe("");
    },
  );

  test("is kept beside the change of the worktree, and told", async () => {
    const { change, paths } = await captured(`git switch -qc mine; ${EDIT}; ${COMMIT} -a; git switch -q -; echo n > n`);
    expect(paths).toEqual(["added n"]);
    expect(change.elsewhere).toMatchObject([{ where: "branch mine", files: 1 }]);
    expect(change.elsewhere?.[0]?.isTaken).toBeUndefined();
  });

  test("is not chosen from two", async () => {
    const { change, paths } = await captured(
      `git switch -qc mine; ${EDIT}; ${COMMIT} -a; git switch -q -; echo o >> b/x; git ${IDENTITY} stash -q`,
    );
    expect(paths).toEqual([]);
    expect(change.elsewhere?.map(({ where, branch }) => [where, branch])).toEqual([
      ["a stash", "loopdash/r/T-1@1.left-1"],
      ["branch mine", "loopdash/r/T-1@1.left-2"],
    ]);
  });

  const none: Record<string, string> = {
    "branches without commits": `git branch one; git branch two HEAD~1; ${EDIT}`,
    "a person's branch that was looked at": `git switch -q theirs; git checkout -q theirs~1; git switch -q loopdash/r/T-1; git branch x theirs; ${EDIT}`,
    "a branch that is merged": `git switch -qc mine; ${EDIT}; ${COMMIT} -a; git switch -q -; git merge -q mine`,
    "a stash that is in the change": `${EDIT}; git ${IDENTITY} stash -q; git stash apply -q`,
    "refs and logs with anything else in them": `${EDIT}; mkfifo $GIT/refs/heads/pipe; echo ${"1".repeat(40)} > $GIT/refs/heads/none; mkdir -p $GIT/logs/refs; mkfifo $GIT/logs/refs/stash; echo x > $GIT/MERGE_HEAD`,
  };
  test.for(Object.entries(none))("is not seen in %s", async ([, script]) => {
    const { change, paths } = await captured(script);
    expect([paths, change.elsewhere]).toEqual([["modified a/x"], undefined]);
  });

  test.for([
    [`git switch -qc mine; ${EDIT}; ${COMMIT} -a; git switch -q -`, "branch mine"],
    [`${EDIT}; git ${IDENTITY} stash -q`, "a stash"],
    [
      `git worktree add -q --detach wt; (cd wt; ${EDIT}; ${COMMIT} -a; ${EDIT.replace("a/x", "b/x")}); rm wt/b/x; git -C wt checkout -q b/x`,
      "worktree wt",
    ],
  ] as const)("without a sandbox: %s", async ([script, where]) => {
    const { change, paths } = await captured(script, false);
    expect(paths).toEqual(["modified a/x"]);
    expect(change.elsewhere).toMatchObject([{ where, isTaken: true }]);
  });

  test("without a sandbox, a person's branches and stashes are left alone", async () => {
    const of = await setUpOpen(folders);
    const made = await worktree(of);
    write(of.user, "a/x", "more\n");
    git(of.user, "stash", "-q");
    for (const branch of ["theirs", made.branch]) git(made.path, "switch", "-q", branch);
    git(of.user, "switch", "-q", "theirs");
    write(of.user, "a/x", "theirs\n");
    git(of.user, "commit", "-qam", "theirs");
    write(made.path, "n", "n\n");
    const change = await of.repo.capture({ ...made, keepAs: `${made.branch}@1` });
    expect([change.paths.length, change.elsewhere]).toEqual([1, undefined]);
  });
});

describe("refuseDeletions", { timeout: 60_000 }, () => {
  const cases: Record<string, [script: string, refused: string | undefined]> = {
    "more than half": ["rm -r a b", "the change deletes 6 of the 10 tracked files of its base"],
    "more than half, committed": [`git rm -rq a b; ${COMMIT}`, "the change deletes 6 of the 10 tracked files of its base"],
    half: ["rm -r a b/c a.txt", undefined],
    "more than half, but moved": [`mkdir d; mv a b d`, undefined],
    "what the agent's commits keep": [
      `${EDIT}; ${COMMIT} -a; rm b/x; git rm -q b/y`,
      "the worktree lacks 2 files that the agent's own commits keep",
    ],
    "what the agent's commits delete": [`${EDIT}; git rm -q b/x; ${COMMIT} -a; echo n > n`, undefined],
    "what the agent's commits have added": [`echo n > n; git add n; ${COMMIT} -a; rm n; ${EDIT}`, undefined],
  };
  test.for(Object.entries(cases))("%s", async ([, [script, refused]]) => {
    const { of, change } = await captured(script);
    const result = await refuseDeletions(of.repo, { from: of.first, change });
    expect(result?.ok === false ? result.evidence.summary : undefined).toBe(refused);
  });
});
