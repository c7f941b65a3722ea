import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunGit } from "../../../src/adapters/vcs/git/git-helper.ts";
import { runGit } from "../../../src/adapters/vcs/git/run-git.ts";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import { APP, cleanUp, git, newRepo, readyCandidate, setUp, statusOf, tempDir, write } from "./real-repo.ts";

cleanUp();

describe("land, with a checkout that git does not bring along for a reason that a look does not show", () => {
  test("a change that the index hides: the base goes back, and does not move again at the next attempt", async () => {
    const of = await setUp();
    const ready = await readyCandidate(of, { "a.txt": "landed\n" });
    git(of.user, "update-index", "--skip-worktree", "a.txt");
    write(of.user, "a.txt", "mine\n");
    const moves = () => git(of.user, "reflog", "show", "main").split("\n").length;
    for (const moved of [3, 3]) {
      const landing = await of.repo.land({ from: ready.from, to: ready.to });
      expect(landing).toMatchObject({ as: "waiting", reason: expect.stringMatching(/a\.txt/) });
      expect(git(of.user, "rev-parse", "main")).toBe(of.first);
      expect(readFileSync(join(of.user, "a.txt"), "utf8")).toBe("mine\n");
      expect(git(of.user, "diff", "--cached", "--name-only")).toBe("");
      expect(moves()).toBe(moved);
    }
  });

  test("a checkout that did not follow is asked first from then on, and lands once it follows", async () => {
    const of = await setUp();
    const ready = await readyCandidate(of, { "a.txt": "landed\n" });
    git(of.user, "update-index", "--skip-worktree", "a.txt");
    write(of.user, "a.txt", "mine\n");
    const first = await of.repo.land(ready);
    const second = await of.repo.land(ready);
    expect([first, second]).toEqual([first, first]);
    expect(first).toEqual({ as: "waiting", reason: expect.stringMatching(/a\.txt/) });
    git(of.user, "update-index", "--no-skip-worktree", "a.txt");
    git(of.user, "checkout", "-q", "a.txt");
    expect(await of.repo.land(ready)).toEqual({ as: "landed" });
    expect(statusOf(of.user)).toBe("");
    expect(git(of.user, "reflog", "show", "--format=%H", "main").split("\n")).toEqual([ready.to, of.first, ready.to, of.first]);
  });

  test("where one of two checkouts does not follow, the other goes back with the base", async () => {
    const of = await setUp();
    const linked = join(of.root, "linked");
    git(of.user, "worktree", "add", "-q", "--force", linked, "main");
    const ready = await readyCandidate(of, { "a.txt": "landed\n", new: "x\n" });
    git(linked, "update-index", "--skip-worktree", "a.txt");
    write(linked, "a.txt", "mine\n");
    expect(await of.repo.land(ready)).toMatchObject({ as: "waiting", reason: expect.stringContaining(linked) });
    expect(git(of.user, "rev-parse", "main")).toBe(of.first);
    expect(statusOf(of.user)).toBe("");
    expect(existsSync(join(of.user, "new"))).toBe(false);
    expect(readFileSync(join(linked, "a.txt"), "utf8")).toBe("mine\n");
  });

  test("whoever ends git while the base goes back does not make a change landed that is not in it", async () => {
    const root = tempDir();
    const user = newRepo(root);
    let moves = 0;
    // The second time the base moves, the answer is lost: git did it, and was ended before it could say so.
    const run: RunGit = async (cwd, call) => {
      const result = await runGit(cwd, call);
      const lost = call.session === "transaction" && call.input?.includes("update refs/heads/main ") === true && ++moves === 2;
      return lost ? { ...result, status: null, stdout: "start: ok\n" } : result;
    };
    const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root, run });
    const of = { root, user, repo, first: git(user, "rev-parse", "main") };
    const ready = await readyCandidate(of, { "a.txt": "landed\n" });
    git(user, "update-index", "--skip-worktree", "a.txt");
    write(user, "a.txt", "mine\n");
    expect(await repo.land(ready)).toMatchObject({ as: "waiting", reason: expect.stringMatching(/a\.txt/) });
    expect([moves, git(user, "rev-parse", "main")]).toEqual([2, of.first]);
  });
});
