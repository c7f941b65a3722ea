import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
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

/** A server that accepts connections and says nothing. `asked` settles with the first one, `left` once that is closed. */
async function aSilentServer(): Promise<{ address: string; asked: Promise<unknown>; left: Promise<unknown> }> {
  const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = createTcpServer((socket) => {
    socket.on("data", () => asked.resolve());
    socket.on("error", () => undefined);
    socket.on("close", () => left.resolve());
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`;
  return { address, asked: asked.promise, left: left.promise };
}

describe("a branch of the engine beside others whose names look like it", () => {
  const BRANCH = "loopdash/r1/T-1";
  /** Names that end, or begin, as its full name does. */
  const LOOKALIKES = [
    `refs/tags/${BRANCH}`,
    `refs/tags/refs/heads/${BRANCH}`,
    `refs/heads/refs/heads/${BRANCH}`,
    `refs/heads/heads/${BRANCH}`,
    `refs/heads/x/${BRANCH}`,
    `refs/heads/${BRANCH}0`,
    `refs/remotes/origin/${BRANCH}`,
  ];

  test("is not taken for any of them, and overwrites none", async () => {
    const { root, user, origin, move } = aClone();
    git(user, "remote", "add", "origin", origin);
    const theirs = git(origin, "commit-tree", `${move.from}^{tree}`, "-m", "theirs");
    for (const ref of LOOKALIKES) git(origin, "update-ref", ref, theirs);
    const remote = await originOf(user, root);
    expect(await remote.tip(BRANCH)).toBeUndefined();
    expect(await remote.fetch(BRANCH)).toBeUndefined();
    expect(await remote.push({ branch: BRANCH, to: move.to })).toEqual({ as: "pushed" });
    expect([await remote.tip(BRANCH), await remote.fetch(BRANCH)]).toEqual([move.to, move.to]);
    expect(await remote.push({ branch: BRANCH, from: move.to, to: move.to })).toEqual({ as: "pushed" });
    for (const ref of LOOKALIKES) expect(git(origin, "rev-parse", ref), ref).toBe(theirs);
  });

  test.each(LOOKALIKES)("is pushed although there is %s alone, which stays", async (ref) => {
    const { root, user, origin, move } = aClone();
    git(user, "remote", "add", "origin", origin);
    git(origin, "update-ref", ref, move.from);
    const remote = await originOf(user, root);
    expect(await remote.push({ branch: BRANCH, to: move.to })).toEqual({ as: "pushed" });
    await remote.checkWritable(BRANCH);
    expect([git(origin, "rev-parse", ref), git(origin, "rev-parse", `refs/heads/${BRANCH}`)]).toEqual([move.from, move.to]);
  });

  test("is left as it is if somebody else made it before the first push", async () => {
    const { root, user, origin, move } = aClone();
    git(user, "remote", "add", "origin", origin);
    git(origin, "update-ref", `refs/heads/${BRANCH}`, move.from);
    expect(await (await originOf(user, root)).push({ branch: BRANCH, to: move.to })).toEqual({ as: "moved" });
    expect(git(origin, "rev-parse", `refs/heads/${BRANCH}`)).toBe(move.from);
  });

  test("cannot be made below a branch of somebody else: that is a refusal, and nothing of theirs is lost", async () => {
    const { root, user, origin, move } = aClone();
    git(user, "remote", "add", "origin", origin);
    git(origin, "update-ref", "refs/heads/loopdash", move.from);
    expect(await (await originOf(user, root)).push({ branch: BRANCH, to: move.to })).toMatchObject({
      ...{ as: "refused", isForbidden: true, reason: expect.stringContaining("'refs/heads/loopdash' exists") },
    });
    expect(git(origin, "rev-parse", "refs/heads/loopdash")).toBe(move.from);
  });
});

describe("a remote that accepts a connection and says nothing", () => {
  const LONG = { answerMs: 3_600_000, silentMs: 3_600_000, transferMs: 3_600_000 };

  test.each([
    ["names no branch", { ...LONG, answerMs: 100 }, (remote: GitRemote) => remote.tip("main"), /did not answer within 1 s/],
    [
      "takes no push, over http",
      { ...LONG, silentMs: 1_000 },
      (remote: GitRemote, to: string) => remote.push({ branch: "x", to }),
      /too slow|cannot be reached/i,
    ],
    [
      "takes no push, by any way",
      { ...LONG, transferMs: 100 },
      (remote: GitRemote, to: string) => remote.push({ branch: "x", to }),
      /did not answer within 1 s/,
    ],
  ] as const)("is an outage after the bound if it %s", async (_what, bounds, call, said) => {
    const { root, user, move } = aClone();
    const { address } = await aSilentServer();
    git(user, "remote", "add", "origin", address);
    const remote = await (await opened(user, root)).remote({ name: "origin", bounds });
    const error: unknown = await call(remote, move.to).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RepoUnavailable);
    expect((error as Error).message).toMatch(said);
  });

  test.each([
    ["tip", (remote: GitRemote, _to: string, signal: AbortSignal) => remote.tip("main", signal)],
    ["push", (remote: GitRemote, to: string, signal: AbortSignal) => remote.push({ branch: "x", to }, signal)],
  ] as const)("is left at once when the signal is aborted, and git with it (%s)", async (_what, call) => {
    const { root, user, move } = aClone();
    const { address, asked, left } = await aSilentServer();
    git(user, "remote", "add", "origin", address);
    const remote = await (await opened(user, root)).remote({ name: "origin", bounds: LONG });
    const over = new AbortController();
    const ended = expect(call(remote, move.to, over.signal)).rejects.toThrow(RepoUnavailable);
    await asked;
    over.abort();
    await ended;
    await left;
  });
});

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
