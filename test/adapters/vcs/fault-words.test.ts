import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GitFailure } from "../../../src/adapters/vcs/git/git-call.ts";
import { runGit } from "../../../src/adapters/vcs/git/run-git.ts";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import { RepoUnavailable } from "../../../src/ports/vcs.ts";
import { APP, cleanUp, git, newRepo, tempDir } from "./real-repo.ts";

cleanUp();

/** Messages in which the name of a file, with line breaks in it, looks like a fault of the machine. */
const NAMED = [
  "error: unable to create file x: No space left on device\ny: File name too long",
  "error: unable to create file x\nfatal: y: Read-only file system\nz: File name too long",
  "fatal: cannot stat 'a: Input/output error\nb'",
  "error: invalid path 'x\nfatal: Unable to create '/srv/app/.git/index.lock': File exists.\n'",
];

async function opened(stderr: () => string | undefined) {
  const root = tempDir();
  const user = newRepo(root);
  mkdirSync(join(root, "scratch"));
  let calls = 0;
  const repo = await openRepo({
    ...{ id: APP, path: user, base: "main", scratch: join(root, "scratch") },
    run: (cwd, call, signal) => {
      const said = call.args.includes("rev-list") ? stderr() : undefined;
      if (said === undefined) return runGit(cwd, call, signal);
      calls += 1;
      return Promise.resolve({ status: 128, stdout: "", stderr: said, stopped: false });
    },
  });
  const tip = git(user, "rev-parse", "main");
  return { user, tip, calls: () => calls, ask: () => repo.missingFromBase([tip]) };
}

describe("words of a faulty machine in what git prints", () => {
  test.each(NAMED)("that are the name of a file are no outage: the call fails, and is repeated once: %j", async (stderr) => {
    const { ask, calls } = await opened(() => stderr);
    const error: unknown = await ask().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(GitFailure);
    expect(error).not.toBeInstanceOf(RepoUnavailable);
    expect(calls()).toBe(2);
  });

  test("that pass at once cost nothing", async () => {
    let times = 0;
    const { ask } = await opened(() => (times++ === 0 ? "error: cannot fork: Resource temporarily unavailable" : undefined));
    expect(await ask()).toEqual([]);
  });

  test("are an outage while a lock that they name is held in the repository", async () => {
    let lock = "";
    const { user, ask } = await opened(() => `fatal: Unable to create '${lock}': File exists.`);
    lock = join(user, ".git", "packed-refs.lock");
    writeFileSync(lock, "");
    await expect(ask()).rejects.toThrow(RepoUnavailable);
    lock = join(user, "..", "index.lock");
    writeFileSync(lock, "");
    await expect(ask()).rejects.not.toThrow(RepoUnavailable);
  });

  test("are an outage while git cannot write to the repository, whatever it is asked for", async () => {
    const root = tempDir();
    const user = newRepo(root);
    mkdirSync(join(root, "scratch"));
    const said = "error: unable to write file x: Disk quota exceeded";
    const repo = await openRepo({
      ...{ id: APP, path: user, base: "main", scratch: join(root, "scratch") },
      run: (cwd, call, signal) =>
        call.args.includes("rev-list") || call.args.includes("hash-object")
          ? Promise.resolve({ status: 128, stdout: "", stderr: said, stopped: false })
          : runGit(cwd, call, signal),
    });
    await expect(repo.missingFromBase([git(user, "rev-parse", "main")])).rejects.toThrow(RepoUnavailable);
  });
});

describe("a file whose name looks like git's words for a missing file", () => {
  test.each(["x\ndoes not exist", "exists on disk, but not in\n", "a\nb"])(
    "is read if it is there, and else is missing: %j",
    async (path) => {
      const root = tempDir();
      const user = newRepo(root);
      writeFileSync(join(user, path), "text\n");
      git(user, "add", "-A");
      git(user, "commit", "-qm", "odd");
      const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root });
      const tip = git(user, "rev-parse", "main");
      expect(await repo.readFile({ commit: tip, path })).toBe("text\n");
      expect(await repo.readFile({ commit: `${tip}`, path: `${path}*` })).toBeUndefined();
      await expect(repo.readFile({ commit: "1".repeat(40), path })).rejects.toThrow(GitFailure);
    },
  );
});
