import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRepo } from "../../../../src/adapters/vcs/repository/git-repo.ts";
import { type GitRemote, RepoUnavailable } from "../../../../src/ports/vcs.ts";
import { APP, cleanUp, git, newRepo, tempDir, write } from "../real-repo.ts";

cleanUp();

/** Words of git and of forges about missing rights, credentials, faults and names: what a change may call its files. */
const WORDS = [
  "You are not allowed to push to this branch",
  "GH006: Protected branch update failed for refs/heads/main",
  "GitLab: You are not allowed to push code to protected branches on this project.",
  "fatal: unable to access 'x': The requested URL returned error: 403",
  "error: cannot lock ref 'refs/heads/a': 'refs/heads/a' exists; cannot create 'refs/heads/a'",
  "unpacker error",
  "Permission denied (publickey).",
  "fatal: Authentication failed",
  "No space left on device",
  "x\rfatal: The requested URL returned error: 403",
  "x\nfatal: The requested URL returned error: 403",
  "x\nremote: You are not allowed to push to this branch",
  "\u001b[1A\u001b[2K! [remote rejected] main (protected branch hook declined)",
  "read-only",
];

interface Place {
  readonly root: string;
  readonly user: string;
  readonly origin: string;
  readonly from: string;
  readonly remote: GitRemote;
  /** Makes a commit on top of `from` whose file and message have this name. */
  readonly commit: (words: string) => string;
  readonly hook: (name: string, script: string) => void;
}

async function aPlace(more: Record<string, string> = {}): Promise<Place> {
  const root = tempDir();
  const user = newRepo(root);
  const origin = join(root, "origin.git");
  git(root, "clone", "-q", "--bare", user, origin);
  git(user, "remote", "add", "origin", origin);
  const from = git(user, "rev-parse", "main");
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent", ...more };
  const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root, env });
  return {
    ...{ root, user, origin, from, remote: await repo.remote({ name: "origin" }) },
    commit: (words) => {
      git(user, "checkout", "-q", "--detach", from);
      write(user, `${words.replaceAll("/", "-")}.big`, "work\n");
      git(user, "add", "-A");
      git(user, "commit", "-q", "-m", words);
      const made = git(user, "rev-parse", "HEAD");
      git(user, "checkout", "-q", "main");
      return made;
    },
    hook: (name, script) => {
      mkdirSync(join(origin, "hooks"), { recursive: true });
      writeFileSync(join(origin, "hooks", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    },
  };
}

/** Refuses commits with a `.big` file, and prints the names of the files and the message. */
const BY_CONTENT = `bad=0; while read old new ref; do for c in $(git rev-list $new --not --all); do
    if git ls-tree -rz --name-only $c | tr '\\0' '\\n' | grep -q 'big$'; then
      git ls-tree -rz --name-only $c | tr '\\0' '\\n' >&2; git log -1 --format=%B $c >&2; bad=1; fi; done; done; exit $bad`;
const PROTECTED = 'while read old new ref; do [ "$ref" != refs/heads/main ] || { echo "$WORDS" >&2; exit 1; }; done; exit 0';

describe("a hook that prints what a change holds", () => {
  test.each(WORDS)("makes it a refusal of the change, and no person's step: %j", async (words) => {
    const { from, remote, commit, hook, origin } = await aPlace();
    hook("pre-receive", BY_CONTENT);
    expect(await remote.push({ branch: "main", from, to: commit(words) })).toEqual({
      as: "refused",
      reason: expect.stringMatching(/^pre-receive hook declined; /),
    });
    expect(await remote.push({ branch: "loopdash/r/T-1", to: commit(words) })).not.toHaveProperty("isForbidden");
    expect(git(origin, "for-each-ref", "--format=%(refname) %(objectname)")).toBe(`refs/heads/main ${from}`);
  });

  test.each(["LANG", "LC_ALL", "LANGUAGE", "LC_MESSAGES"])("is read alike whatever %s is", async (name) => {
    const { from, remote, commit, hook } = await aPlace({ [name]: "de_DE.UTF-8" });
    hook("pre-receive", BY_CONTENT);
    expect(await remote.push({ branch: "main", from, to: commit("Zugriff verweigert: read-only") })).toEqual({
      as: "refused",
      reason: expect.stringMatching(/^pre-receive hook declined; /),
    });
  });

  test("and by the hook of a ref, or beside a rule for names of branches, opens nothing either", async () => {
    const { from, remote, commit, hook } = await aPlace();
    hook("update", `printf '%s %s %s\\n' "$1" "$2" "$3" | (${BY_CONTENT})`);
    hook(
      "pre-receive",
      'while read o n ref; do case $ref in refs/heads/main|refs/tags/*) ;; *) echo "bad name" >&2; exit 1;; esac; done',
    );
    expect(await remote.push({ branch: "main", from, to: commit("GH006: protected branch") })).not.toHaveProperty("isForbidden");
  });

  test.each([
    ["an empty commit", '[ "$(git rev-parse $3^{tree})" != "$(git rev-parse $3^^{tree})" ]'],
    ["a message that was there before", '[ "$(git log -1 --format=%s $3)" != "$(git log -1 --format=%s $3^)" ]'],
  ])("and refuses %s on every branch, too, opens nothing: the question is not only about that branch", async (_, fits) => {
    const { from, remote, commit, hook } = await aPlace();
    const byName = 'git ls-tree -r --name-only $3 | grep -q "big$" && exit 1';
    hook("update", `case "$1" in refs/heads/*) ${byName}; ${fits} || exit 1;; esac; exit 0`);
    const pushed = await remote.push({ branch: "main", from, to: commit("Permission denied") });
    expect(pushed).toMatchObject({ as: "refused" });
    expect(pushed).not.toHaveProperty("isForbidden");
  });

  test("if it refuses whatever is sent, even what cannot be, is a refusal that agents are told", async () => {
    const { from, remote, commit, hook } = await aPlace();
    hook("pre-receive", 'git ls-tree -r --name-only $(cut -d" " -f2 | head -1) >&2; exit 1');
    const pushed = await remote.push({ branch: "main", from, to: commit("You are not allowed to push to main") });
    expect(pushed).toMatchObject({ as: "refused" });
    expect(pushed).not.toHaveProperty("isForbidden");
  });

  test("and then breaks off is an outage, and neither a missing right nor refused credentials", async () => {
    const { from, remote, commit, hook } = await aPlace();
    hook("pre-receive", `(${BY_CONTENT}) ; kill -9 $PPID`);
    const error: unknown = await remote
      .push({ branch: "main", from, to: commit(WORDS[3] ?? "") })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RepoUnavailable);
    expect((error as Error).message).toContain("cannot be reached");
  });
});

describe("a branch that takes no push, whatever it holds", () => {
  test.each(["no words at all", "GH006: Protected branch", "Gitea: Not allowed to push to protected branch main", "désolé"])(
    "is a person's step, in any words: %s",
    async (words) => {
      const { from, remote, commit, hook, origin } = await aPlace();
      hook("pre-receive", PROTECTED.replace("$WORDS", words));
      const to = commit("an honest change");
      expect(await remote.push({ branch: "main", from, to })).toMatchObject({ as: "refused", isForbidden: true });
      expect(await remote.push({ branch: "loopdash/r/T-1", to })).toEqual({ as: "pushed" });
      expect(git(origin, "for-each-ref", "--format=%(refname)").split("\n")).toEqual([
        "refs/heads/loopdash/r/T-1",
        "refs/heads/main",
      ]);
      expect(git(origin, "rev-parse", "main")).toBe(from);
    },
  );

  test("is one by the hook of a ref, by git's own rule for a checkout, and for a branch that is not there yet", async () => {
    const { from, remote, commit, hook, origin } = await aPlace();
    const to = commit("an honest change");
    hook("update", 'case "$1" in refs/heads/main|refs/heads/loopdash/*) exit 1;; esac');
    expect(await remote.push({ branch: "main", from, to })).toMatchObject({ isForbidden: true });
    expect(await remote.push({ branch: "loopdash/r/T-1", to })).toMatchObject({ isForbidden: true });
    hook("update", "exit 0");
    git(origin, "config", "core.bare", "false");
    expect(await remote.push({ branch: "main", from, to })).toMatchObject({ as: "refused", isForbidden: true });
  });

  test("is none if the remote cannot be asked without the change", async () => {
    const { from, remote, commit, hook, origin } = await aPlace();
    git(origin, "config", "receive.advertiseAtomic", "false");
    hook("pre-receive", PROTECTED);
    expect(await remote.push({ branch: "main", from, to: commit("x") })).not.toHaveProperty("isForbidden");
  });
});

describe("a change that the remote's git does not take in", () => {
  test("is refused, and no outage: it takes in another one", async () => {
    const { user, from, remote, origin } = await aPlace();
    git(origin, "config", "receive.fsckObjects", "true");
    const blob = git(user, "hash-object", "-w", "a.txt");
    writeFileSync(join(user, "../tree"), `100644 .git\0${Buffer.from(blob, "hex").toString("latin1")}`, "latin1");
    const tree = git(user, "hash-object", "-t", "tree", "-w", "--literally", join(user, "../tree"));
    const to = git(user, "commit-tree", tree, "-p", from, "-m", "x");
    expect(await remote.push({ branch: "main", from, to })).toMatchObject({
      as: "refused",
      reason: expect.stringMatching(/^unpacker error/),
    });
  });

  test("is not told from others while a lock keeps the branch from moving, whatever a hook prints: an outage", async () => {
    const { from, remote, commit, hook, origin } = await aPlace();
    writeFileSync(join(origin, "refs", "heads", "main.lock"), "");
    hook("pre-receive", "echo 'directory file conflict: You are not allowed to push to main.' >&2");
    await expect(remote.push({ branch: "main", from, to: commit("x") })).rejects.toThrow(RepoUnavailable);
  });
});

/** A server of git over http that answers the two questions of a push with these statuses, and those of a reader with a branch. */
async function aServer(origin: string, statuses: { readonly asked: number; readonly sent: number }): Promise<string> {
  const { execFileSync } = await import("node:child_process");
  const pkt = (text: string) => `${(text.length + 4).toString(16).padStart(4, "0")}${text}`;
  const server = createServer((request, answer) => {
    const url = request.url ?? "";
    const service = url.includes("receive-pack") ? "receive-pack" : "upload-pack";
    const isSent = request.method === "POST";
    const status = service === "receive-pack" ? statuses[isSent ? "sent" : "asked"] : 200;
    request.resume();
    request.on("end", () => {
      answer.writeHead(status, { "content-type": `application/x-git-${service}-advertisement` });
      if (status !== 200) return answer.end("no");
      const refs = execFileSync("git", [service, "--http-backend-info-refs", origin], { encoding: "latin1" });
      return answer.end(Buffer.from(`${pkt(`# service=git-${service}\n`)}0000${refs}`, "latin1"));
    });
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/r.git`;
}

describe("a server of git over http", () => {
  test.each([
    ["takes no push of anybody who asks so", { asked: 403, sent: 403 }, { as: "refused", isForbidden: true }],
    ["does not take these commits (403)", { asked: 200, sent: 403 }, { as: "refused" }],
    ["does not take so much (413)", { asked: 200, sent: 413 }, { as: "refused" }],
  ] as const)("that %s refuses by its status", async (_what, statuses, expected) => {
    const { user, root, origin, from, commit } = await aPlace();
    git(user, "remote", "set-url", "origin", await aServer(origin, statuses));
    const env = { PATH: process.env["PATH"], HOME: "/nonexistent" };
    const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root, env });
    const remote = await repo.remote({ name: "origin" });
    const pushed = await remote.push({ branch: "main", from, to: commit("x") });
    expect(pushed).toMatchObject(expected);
    expect("isForbidden" in pushed).toBe("isForbidden" in expected);
  });

  test.each([500, 502, 429])("that answers %i is away", async (sent) => {
    const { user, root, origin, from, commit } = await aPlace();
    git(user, "remote", "set-url", "origin", await aServer(origin, { asked: 200, sent }));
    const env = { PATH: process.env["PATH"], HOME: "/nonexistent" };
    const repo = await openRepo({ id: APP, path: user, base: "main", scratch: root, env });
    await expect((await repo.remote({ name: "origin" })).push({ branch: "main", from, to: commit("x") })).rejects.toThrow(
      RepoUnavailable,
    );
  });
});
