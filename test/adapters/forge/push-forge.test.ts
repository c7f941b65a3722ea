import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createPushForge, withForge } from "../../../src/adapters/forge/push-forge.ts";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import type { Forge } from "../../../src/ports/forge.ts";
import { RepoUnavailable } from "../../../src/ports/vcs.ts";
import { type ForgeStage, forgeContract } from "../../contract/forge.ts";
import { APP, cleanUp, git, newRepo, tempDir, write } from "../vcs/real-repo.ts";

cleanUp();

interface PushStage extends ForgeStage {
  landByOther(file: string): string;
  readonly root: string;
  readonly user: string;
  readonly origin: string;
}

/** A user's clone of a bare repository, and a colleague's. */
async function pushStage(): Promise<PushStage> {
  const root = tempDir();
  const user = newRepo(root);
  const [origin, other] = [join(root, "origin.git"), join(root, "other")];
  git(root, "clone", "-q", "--bare", user, origin);
  git(user, "remote", "add", "origin", origin);
  git(root, "clone", "-q", origin, other);
  const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root, env: process.env });
  const forge = createPushForge({ repo, remote: await repo.remote({ name: "origin" }) });
  return {
    ...{ root, user, origin, forge, repo },
    ...checkoutOf(user),
    tip: () => git(origin, "rev-parse", "main"),
    landByOther: (file) => {
      git(other, "pull", "-q", "--ff-only");
      write(other, file, "theirs\n");
      git(other, "add", "-A");
      git(other, "commit", "-q", "-m", "theirs");
      git(other, "push", "-q", "origin", "HEAD:main");
      return git(other, "rev-parse", "HEAD");
    },
  };
}

/** The checkout of the base of a user, and commits beside it. */
function checkoutOf(user: string): Pick<ForgeStage, "commitOn" | "here" | "makeDirty" | "makeClean"> {
  return {
    commitOn: (parent, file) => {
      const beside = join(user, "..", `beside-${file}`);
      git(user, "worktree", "add", "-q", "--detach", beside, parent);
      write(beside, file, "work\n");
      git(beside, "add", "-A");
      git(beside, "commit", "-q", "-m", file);
      const commit = git(beside, "rev-parse", "HEAD");
      git(user, "worktree", "remove", "--force", beside);
      return commit;
    },
    here: () => git(user, "rev-parse", "main"),
    makeDirty: () => write(user, "a.txt", "mine\n"),
    makeClean: () => void git(user, "checkout", "-q", "--", "a.txt"),
  };
}

forgeContract("push", pushStage);
forgeContract("local", async () => {
  const root = tempDir();
  const user = newRepo(root);
  const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root, env: process.env });
  const checkout = checkoutOf(user);
  // Without a remote, the repository itself is where changes land: the run uses it as it is.
  const forge: Forge = {
    sync: async () => undefined,
    land: (landing) => repo.land(landing),
    missing: (shas) => repo.missingFromBase(shas),
  };
  return {
    ...{ forge, repo },
    ...checkout,
    tip: checkout.here,
    landByOther: (file) => {
      write(user, file, "theirs\n");
      git(user, "add", "-A");
      git(user, "commit", "-q", "-m", "theirs");
      return checkout.here();
    },
  };
});

describe("a push forge", () => {
  test("lands nothing where the remote's rules refuse it, and gives the remote's own words", async () => {
    const stage = await pushStage();
    const hook = join(stage.origin, "hooks", "update");
    mkdirSync(join(stage.origin, "hooks"), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\necho "error: GH006: Protected branch update failed for $1." >&2\nexit 1\n');
    chmodSync(hook, 0o755);
    const from = stage.tip();
    const to = stage.commitOn(from, "work.txt");
    const landing = await stage.forge.land({ from, to });
    expect(landing).toMatchObject({
      as: "refused",
      reason: expect.stringMatching(/refuses the push: hook declined; GH006: Protected branch/),
    });
    expect([stage.tip(), stage.here()]).toEqual([from, from]);
  });

  test("takes a fault of the remote itself for an outage", async () => {
    const stage = await pushStage();
    const from = stage.tip();
    const to = stage.commitOn(from, "work.txt");
    // The lock of another push, which git waits for and then gives up.
    writeFileSync(join(stage.origin, "refs", "heads", "main.lock"), "");
    await expect(stage.forge.land({ from, to })).rejects.toThrow(RepoUnavailable);
    rmSync(join(stage.origin, "refs", "heads", "main.lock"));
    expect(await stage.forge.land({ from, to })).toEqual({ as: "landed" });
  });

  test("takes such a fault for an outage, whatever a hook of the remote prints beside it", async () => {
    const stage = await pushStage();
    const from = stage.tip();
    const to = stage.commitOn(from, "work.txt");
    writeFileSync(join(stage.origin, "refs", "heads", "main.lock"), "");
    const hook = join(stage.origin, "hooks", "pre-receive");
    writeFileSync(hook, "#!/bin/sh\necho 'You are not allowed to push to main.' >&2\n", { mode: 0o755 });
    await expect(stage.forge.land({ from, to })).rejects.toThrow(RepoUnavailable);
  });

  test("completes a landing that was cut off between the remote and this machine", async () => {
    const stage = await pushStage();
    const from = stage.tip();
    const to = stage.commitOn(from, "work.txt");
    git(stage.user, "push", "-q", "origin", `${to}:refs/heads/main`);
    expect(stage.here()).toBe(from);
    expect(await stage.forge.land({ from, to })).toEqual({ as: "landed" });
    expect(stage.here()).toBe(to);
  });

  test("says that a landing is at the remote already while a person's checkout cannot follow", async () => {
    const stage = await pushStage();
    const from = stage.tip();
    const to = stage.commitOn(from, "work.txt");
    git(stage.user, "push", "-q", "origin", `${to}:refs/heads/main`);
    stage.makeDirty();
    expect(await stage.forge.land({ from, to })).toMatchObject({ as: "waiting", isRemote: true });
  });

  test("never pushes commits of a person that are only on this machine, and names them", async () => {
    const stage = await pushStage();
    const there = stage.tip();
    write(stage.user, "mine.txt", "mine\n");
    git(stage.user, "add", "-A");
    git(stage.user, "commit", "-q", "-m", "mine");
    const from = stage.here();
    const to = stage.commitOn(from, "work.txt");
    const why = expect.stringMatching(
      /main of this repository has a commit that origin \(.*\) lacks: push them, or take them back/,
    );
    expect(await stage.forge.land({ from, to })).toMatchObject({ as: "waiting", reason: why });
    expect(await stage.forge.sync()).toEqual({ why });
    expect(stage.tip()).toBe(there);
  });

  test("moves nothing aside: bases that have gone apart are a person's to bring together", async () => {
    const stage = await pushStage();
    write(stage.user, "mine.txt", "mine\n");
    git(stage.user, "add", "-A");
    git(stage.user, "commit", "-q", "-m", "mine");
    const there = stage.landByOther("other.txt");
    const from = stage.here();
    expect(await stage.forge.sync()).toEqual({ why: expect.stringContaining("have gone apart") });
    expect(await stage.forge.land({ from, to: stage.commitOn(from, "work.txt") })).toMatchObject({ as: "waiting" });
    expect([stage.tip(), stage.here()]).toEqual([there, from]);
  });

  test("is unavailable while its remote is away, and a branch that is gone there is named", async () => {
    const stage = await pushStage();
    renameSync(stage.origin, `${stage.origin}-away`);
    await expect(stage.forge.sync()).rejects.toThrow(RepoUnavailable);
    await expect(stage.forge.sync()).rejects.toThrow(/origin \(.*origin\.git\) cannot be reached: /);
    renameSync(`${stage.origin}-away`, stage.origin);
    git(stage.origin, "update-ref", "-d", "refs/heads/main");
    expect(await stage.forge.sync()).toEqual({
      why: expect.stringMatching(/^origin \(.*\) has no branch main$/),
      isMissing: true,
    });
    const from = stage.here();
    expect(await stage.forge.land({ from, to: stage.commitOn(from, "work.txt") })).toEqual({
      as: "waiting",
      reason: expect.stringMatching(/^origin \(.*\) has no branch main: push it there$/),
    });
  });

  test("leaves nothing in the user's repository but what landed", async () => {
    const stage = await pushStage();
    stage.landByOther("other.txt");
    await stage.forge.sync();
    const from = stage.tip();
    await stage.forge.land({ from, to: stage.commitOn(from, "work.txt") });
    expect(git(stage.user, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
    expect(git(stage.user, "status", "--porcelain")).toBe("");
  });

  test("names what landed if somebody moves the branch back at the remote, although it is here", async () => {
    const stage = await pushStage();
    const from = stage.tip();
    const to = stage.commitOn(from, "work.txt");
    await stage.forge.land({ from, to });
    git(stage.origin, "update-ref", "refs/heads/main", from);
    const repo = withForge(stage.repo, stage.forge);
    expect([await repo.missingFromBase([from, to]), await repo.missingAtForge?.([from, to])]).toEqual([[], [to]]);
  });

  test("is looked at again after a while, not at each question", async () => {
    const stage = await pushStage();
    let time = 0;
    const repo = withForge(stage.repo, stage.forge, () => time);
    const first = await repo.baseTip();
    const other = stage.landByOther("other.txt");
    expect(await repo.baseTip()).toBe(first);
    time += 10_001;
    expect(await repo.baseTip()).toBe(other);
  });
});

describe("a remote", () => {
  test("runs no program that the repository's own configuration names", async () => {
    const root = tempDir();
    const user = newRepo(root);
    const mark = join(root, "ran");
    const program = join(root, "program");
    writeFileSync(program, `#!/bin/sh\ntouch ${mark}\nexit 1\n`);
    chmodSync(program, 0o755);
    mkdirSync(join(user, ".git", "hooks"), { recursive: true });
    writeFileSync(join(user, ".git", "hooks", "pre-push"), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    git(root, "clone", "-q", "--bare", user, join(root, "origin.git"));
    git(user, "remote", "add", "origin", join(root, "origin.git"));
    for (const key of ["core.sshCommand", "core.askPass", "credential.helper", "remote.origin.uploadpack"])
      git(user, "config", key, program);
    const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root, env: process.env });
    const remote = await repo.remote({ name: "origin" });
    const first = git(user, "rev-parse", "main");
    expect(await remote.push({ branch: "new", to: first })).toEqual({ as: "pushed" });
    expect(await remote.fetch("new")).toBe(first);
    git(user, "remote", "set-url", "origin", "ssh://nowhere.invalid/x.git");
    const elsewhere = await openRepo({ id: APP, path: user, base: "main", scratch: root, env: process.env });
    await expect((await elsewhere.remote({ name: "origin" })).tip("main")).rejects.toThrow(RepoUnavailable);
    expect(existsSync(mark)).toBe(false);
  });

  test("by a relative path is found from the repository's own folder, as git finds it", async () => {
    const { user } = await pushStage();
    git(user, "remote", "set-url", "origin", "../origin.git");
    const repo = await openRepo({ id: APP, path: user, base: "main", scratch: tempDir(), env: process.env });
    const remote = await repo.remote({ name: "origin" });
    await remote.checkWritable("main");
    expect(await remote.tip("main")).toBe(git(user, "rev-parse", "main"));
  });

  test("that is not there, or that no token fits, is refused with the reason", async () => {
    const root = tempDir();
    const user = newRepo(root);
    git(user, "remote", "add", "ext", "ext::sh -c true");
    git(user, "remote", "add", "path", root);
    const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root, env: process.env });
    await expect(repo.remote({ name: "origin" })).rejects.toThrow(/no remote of this name/);
    const credentials = { user: "u", token: async () => "t", renew: async () => "t" };
    await expect(repo.remote({ name: "path", credentials })).rejects.toThrow(/a token has no place/);
    await expect(repo.remote({ name: "ext" }).then((remote) => remote.tip("main"))).rejects.toThrow();
  });
});
