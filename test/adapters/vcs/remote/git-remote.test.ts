import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runGit } from "../../../../src/adapters/vcs/git/run-git.ts";
import { openRepo, type RepoWithRemotes } from "../../../../src/adapters/vcs/repository/git-repo.ts";
import { type GitRemote, RepoUnavailable } from "../../../../src/ports/vcs.ts";
import { APP, cleanUp, git, newRepo, tempDir } from "../real-repo.ts";

cleanUp();

/** A user's repository with a bare clone beside it, and a commit that the clone lacks. */
function aClone(): { root: string; user: string; origin: string; move: { branch: string; from: string; to: string } } {
  const root = tempDir();
  const user = newRepo(root);
  const origin = join(root, "origin.git");
  git(root, "clone", "-q", "--bare", user, origin);
  const from = git(user, "rev-parse", "main");
  git(user, "commit", "-q", "--allow-empty", "-m", "work");
  return { root, user, origin, move: { branch: "main", from, to: git(user, "rev-parse", "main") } };
}

function opened(user: string, scratch: string, more: Partial<Parameters<typeof openRepo>[0]> = {}): Promise<RepoWithRemotes> {
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent" };
  return openRepo({ id: APP, path: user, base: "main", scratch, env, ...more });
}

async function originOf(user: string, scratch: string, more: Partial<Parameters<typeof openRepo>[0]> = {}): Promise<GitRemote> {
  return (await opened(user, scratch, more)).remote({ name: "origin" });
}

/** A server that accepts nobody. Its address, without the scheme. */
async function anUnwillingServer(): Promise<string> {
  const server = createServer((_request, answer) => {
    answer.writeHead(401, { "www-authenticate": 'Basic realm="x"' });
    answer.end();
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a remote", () => {
  test("with a relative address is the one beside the repository, not one beside git's scratch folder", async () => {
    const { root, user, origin, move } = aClone();
    const scratch = join(root, "scratch");
    mkdirSync(scratch);
    git(root, "clone", "-q", "--bare", origin, join(scratch, "origin.git"));
    git(user, "remote", "add", "origin", "../origin.git");
    expect(await (await originOf(user, scratch)).push(move)).toEqual({ as: "pushed" });
    expect(git(origin, "rev-parse", "main")).toBe(move.to);
    expect(git(join(scratch, "origin.git"), "rev-parse", "main")).toBe(move.from);
  });

  test("is the place to which git pushes, if that is another than the one it fetches from", async () => {
    const { root, user, origin, move } = aClone();
    const fork = join(root, "fork.git");
    git(root, "clone", "-q", "--bare", origin, fork);
    git(user, "remote", "add", "origin", origin);
    git(user, "config", `url.${fork}.pushInsteadOf`, origin);
    expect((await originOf(user, root)).name).toBe(`origin (${fork})`);
    git(user, "remote", "set-url", "--push", "origin", "DISABLED");
    await expect((await originOf(user, root)).push(move)).rejects.toThrow(RepoUnavailable);
    expect(git(origin, "rev-parse", "main")).toBe(move.from);
  });

  test("with several addresses is refused: a change would land at one of them", async () => {
    const { root, user, origin } = aClone();
    git(user, "remote", "add", "origin", origin);
    git(user, "remote", "set-url", "--add", "origin", join(root, "mirror.git"));
    await expect(originOf(user, root)).rejects.toThrow(/several addresses/);
    git(user, "remote", "set-url", "--push", "origin", origin);
    expect((await originOf(user, root)).name).toBe(`origin (${origin})`);
  });

  test.each(["ghp_SECRET", "me:ghp_SECRET", "me:x@ghp_SECRET", "me:gh/p_SECRET"])(
    "shows no part of the credentials in its address: %s",
    async (who) => {
      const { root, user } = aClone();
      git(user, "remote", "add", "origin", `http://${who}@${await anUnwillingServer()}/r.git`);
      const said = await originOf(user, root).then(
        async (remote) => `${remote.name} ${await remote.fetch("main").catch(String)}`,
        (error: unknown) => `${String(error)} ${JSON.stringify(error)}`,
      );
      expect(said).toMatch(/does not accept the credentials|cannot be reached|not well formed/);
      expect(said).not.toContain("SECRET");
    },
  );

  test("that does not answer is away, and no error of the program", async () => {
    const { root, user, origin } = aClone();
    git(user, "remote", "add", "origin", origin);
    const remote = await originOf(user, root, {
      run: (cwd, call, signal) =>
        call.remote === undefined ? runGit(cwd, call, signal) : Promise.reject(new Error("block timeout reached")),
    });
    await expect(remote.fetch("main")).rejects.toThrow(RepoUnavailable);
  });
});
