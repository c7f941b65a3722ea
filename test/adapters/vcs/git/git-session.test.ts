import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { moveRef, readCommitPart, tryMoveRef } from "../../../../src/adapters/vcs/git/git-queries.ts";
import { runInSession } from "../../../../src/adapters/vcs/git/git-session-pool.ts";
import { cleanUp, git, tempDir } from "../real-repo.ts";
import { asked, gone, hasEnded, holdTimers, openedStore, session, sessionsOf, standIn } from "../sessions.ts";

cleanUp();

const LIFE = 30_000;
const REFLOG_LIFE = 5_000;
const STUCK = 60_000;
const NONE = "1".repeat(40);

describe("a session that lives", () => {
  test("answers each of many questions at once with what was asked, by one process", async () => {
    // On a slow machine the questions take longer than a session lives.
    holdTimers();
    const { user, store, root } = await openedStore();
    const commits = Array.from({ length: 40 }, (_, i) => git(user, "commit-tree", "main^{tree}", "-p", "main", "-m", `${i}`));
    const heads = await Promise.all(
      commits.map(async (commit, i) => {
        const ref = `refs/heads/b-${i}`;
        const [tree, parent, none] = await Promise.all([
          readCommitPart(store, commit, "tree"),
          readCommitPart(store, commit, "parent"),
          readCommitPart(store, NONE, "tree"),
          moveRef(store, ref, { to: commit }),
        ]);
        expect([tree, parent, none]).toEqual([git(user, "rev-parse", "main^{tree}"), git(user, "rev-parse", "main"), undefined]);
        return git(user, "rev-parse", ref);
      }),
    );
    expect(heads).toEqual(commits);
    expect([sessionsOf(root, "cat-file").length, sessionsOf(root, "update-ref").length]).toEqual([1, 1]);
  });

  test("does not lay an earlier answer's words to a later one", async () => {
    const { ask } = standIn();
    await ask("say up");
    // Both ends of the first answer lie there when it is looked for, stdout first.
    const first = ask("mutter one");
    const wait = Promise.resolve()
      .then(() => turnsLater(3))
      .then(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200));
    const second = ask("die two");
    expect((await Promise.all([first, wait]))[0]).toMatchObject({ status: 0, stdout: "one\n" });
    expect(await second).toEqual({ status: 128, stdout: "", stderr: "fatal: two\n", stopped: false });
  });

  test("is not believed where it says more than it was asked", async () => {
    const { root, ask } = standIn();
    expect(await Promise.all([ask("twice one"), ask("say two")])).toMatchObject([
      { status: null },
      { status: 0, stdout: "two\n" },
    ]);
    expect(await ask("again three")).toMatchObject({ status: 0, stdout: "three\n" });
    // Long before its time is over.
    await vi.waitFor(() => expect(sessionsOf(root, "stand-in")).toEqual([]), { timeout: 2_000, interval: 5 });
    expect(await ask("say four")).toMatchObject({ status: 0, stdout: "four\n" });
  });

  test("has nothing of this process's environment but what it needs", async () => {
    for (const name of ["GIT_TRACE", "GIT_DIR", "GIT_CONFIG_PARAMETERS", "GIT_FLUSH", "A_TOKEN", "HOME"])
      vi.stubEnv(name, "/secret");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { root, store, first } = await openedStore();
    await Promise.all([readCommitPart(store, first, "tree"), moveRef(store, "refs/heads/x", { to: first })]);
    for (const command of ["cat-file", "update-ref"]) {
      const environ = readFileSync(`/proc/${session(root, command)}/environ`, "utf8");
      expect(environ).not.toContain("secret");
      const names = environ.split("\0").map((each) => each.split("=")[0]);
      expect(names.filter((name) => !/^(?:GIT_.*|PATH|LANG|LC_ALL|TZ|)$/.test(name ?? ""))).toEqual([]);
    }
  });
});

describe("a session that ends", () => {
  test("by a kill between two questions is no loss, seen or not yet seen", async () => {
    const { root, user, store, first } = await openedStore();
    const tree = await readCommitPart(store, first, "tree");
    await moveRef(store, "refs/heads/x", { to: first });
    for (const pid of [session(root, "cat-file"), session(root, "update-ref")]) {
      process.kill(pid, "SIGKILL");
      // In this very turn, so that nobody here can know: what is written next finds nobody.
      while (!hasEnded(pid));
    }
    expect(await readCommitPart(store, first, "tree")).toBe(tree);
    await moveRef(store, "refs/heads/y", { to: first });
    const pid = session(root, "cat-file");
    process.kill(pid, "SIGTERM");
    await gone(pid);
    expect(await readCommitPart(store, first, "tree")).toBe(tree);
    expect(git(user, "rev-parse", "x", "y")).toBe(`${first}\n${first}`);
  });

  test("by a kill while a question is open, before it has begun to answer: another one answers", async () => {
    const { root, user, store, first } = await openedStore();
    await readCommitPart(store, first, "tree");
    await moveRef(store, "refs/heads/x", { to: first });
    const pids = [session(root, "cat-file"), session(root, "update-ref")];
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    const answers = [readCommitPart(store, first, "tree"), moveRef(store, "refs/heads/y", { to: first })];
    await turnsLater(10);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    expect((await Promise.all(answers))[0]).toBe(git(user, "rev-parse", "main^{tree}"));
    expect(git(user, "rev-parse", "y")).toBe(first);
  });

  test("when it had begun to answer is told, and is not asked twice", async () => {
    const { root, ask } = standIn();
    await ask("say up");
    expect(await ask("half a word")).toEqual({ status: null, stdout: "a word", stderr: "", stopped: false });
    expect(asked(root)).toEqual({ lines: ["say up", "half a word"], processes: 1 });
  });

  test("well but without an answer has not answered, and the one after it is the last to be asked", async () => {
    const { root, ask } = standIn();
    await ask("say up");
    expect(await ask("leave")).toMatchObject({ status: null, stdout: "" });
    expect(asked(root)).toEqual({ lines: ["say up", "leave", "leave"], processes: 2 });
  });

  test("because one question failed takes none of those down that wait behind it", async () => {
    const { user, store, first } = await openedStore();
    await moveRef(store, "refs/heads/loopdash/r/A/x", { to: first });
    const refs = ["A", "B", "A/x/y", "C"].map((name) => `refs/heads/loopdash/r/${name}`);
    const results = await Promise.all(refs.map((ref) => tryMoveRef(store, ref, { to: first })));
    expect(results.map((each) => each.status)).toEqual([128, 0, 128, 0]);
    expect(results[0]?.stderr).toMatch(/^fatal: .*r\/A\/x' exists; cannot create .*r\/A'\n$/);
    expect(results[2]?.stderr).toMatch(/cannot lock ref .*r\/A\/x\/y'/);
    expect(git(user, "for-each-ref", "--format=%(refname:short)", "refs/heads/loopdash").split("\n")).toHaveLength(3);
  });

  test("never by itself, stuck as it is: it is told to, and then ended", async () => {
    const { root, ask } = standIn();
    const later = holdTimers();
    const file = join(root, "file");
    const answer = ask(`stay ${file}`);
    const says = (text: string) =>
      vi.waitFor(() => expect(readFileSync(file, "utf8")).toBe(text), { timeout: 10_000, interval: 5 });
    await says("up\n");
    later(STUCK);
    await says("up\nTERM\n");
    later(STUCK);
    expect(await answer).toMatchObject({ status: null, stdout: "" });
    expect(asked(root).processes).toBe(1);
  });

  test("where there is no git is told as such, the first time and after one was there", async () => {
    const { store, first } = await openedStore();
    const later = holdTimers();
    await readCommitPart(store, first, "tree");
    later(LIFE);
    vi.stubEnv("PATH", "/nonexistent");
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const _ of [1, 2]) await expect(readCommitPart(store, first, "tree")).rejects.toThrow("no git program was found");
    vi.unstubAllEnvs();
    expect(await readCommitPart(store, first, "tree")).toBeDefined();
  });
});

describe("a session's time", () => {
  test("is short, so that reflogs tell when a ref was moved", async () => {
    const later = holdTimers();
    const { root, user, store, first } = await openedStore();
    await moveRef(store, "refs/heads/x", { to: first });
    const began = Math.floor(Date.now() / 1000);
    const pid = session(root, "update-ref");
    later(REFLOG_LIFE);
    await vi.waitFor(() => expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(began), { timeout: 5_000, interval: 10 });
    const next = git(user, "commit-tree", "main^{tree}", "-m", "next");
    await moveRef(store, "refs/heads/x", { to: next });
    const times =
      readFileSync(join(user, ".git/logs/refs/heads/x"), "utf8")
        .match(/\d{10}(?= \+0000)/g)
        ?.map(Number) ?? [];
    expect(times).toHaveLength(2);
    expect(times[1]).toBeGreaterThan(began);
    await gone(pid);
  });

  test("is over while a question is open: it still answers, and then goes", async () => {
    const later = holdTimers();
    const { root, store, first } = await openedStore();
    const tree = await readCommitPart(store, first, "tree");
    const pid = session(root, "cat-file");
    process.kill(pid, "SIGSTOP");
    const answers = [readCommitPart(store, first, "tree"), readCommitPart(store, first, "parent")];
    await turnsLater(10);
    later(LIFE);
    process.kill(pid, "SIGCONT");
    expect(await Promise.all(answers)).toEqual([tree, undefined]);
    await gone(pid);
    expect(sessionsOf(root, "cat-file")).toHaveLength(1);
  });

  test("leaves no process, no open file and no record behind, of however many repositories", async () => {
    const later = holdTimers();
    const openFiles = () => readdirSync("/proc/self/fd").length;
    const root = tempDir();
    const before = openFiles();
    const asking = Array.from({ length: 12 }, async (_, i): Promise<WeakRef<object>> => {
      const call = { args: ["cat-file", "--batch-check"], gitDir: join(root, `${i}`, ".git"), input: `${NONE}\n` };
      git(root, "init", "-q", `${i}`);
      expect((await runInSession(root, call, "line")).stdout).toBe(`${NONE} missing\n`);
      return new WeakRef(call);
    });
    const calls = await Promise.all(asking);
    asking.length = 0;
    expect(sessionsOf(root, "cat-file")).toHaveLength(12);
    later(LIFE);
    await vi.waitFor(() => expect(sessionsOf(root, "cat-file")).toEqual([]), { timeout: 10_000, interval: 5 });
    await vi.waitFor(() => expect(openFiles()).toBeLessThanOrEqual(before + 3), { timeout: 10_000, interval: 5 });
    await vi.waitFor(
      () => {
        collect();
        expect(calls.filter((call) => call.deref() !== undefined)).toEqual([]);
      },
      { timeout: 2_000, interval: 20 },
    );
  });
});

describe("a process with sessions", () => {
  /** A process that does as `session.child.ts` says; `limit` bounds the files it may open. */
  function child(mode: string, limit = 1_000) {
    const root = tempDir();
    const argv = [
      "-c",
      `ulimit -n ${limit}; exec "$@"`,
      "sh",
      process.execPath,
      join(import.meta.dirname, "../session.child.ts"),
      mode,
      root,
    ];
    const started = spawn("sh", argv, { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void started.kill("SIGKILL"));
    const lines = createInterface(started.stdout)[Symbol.asyncIterator]();
    const says = async () => (await lines.next()).value as string | undefined;
    return { root, started, says, ended: once(started, "exit") };
  }

  test("ends by itself, and they with it", async () => {
    const { says, ended } = child("idle");
    const pid = Number(await says());
    const began = performance.now();
    expect(await ended).toEqual([0, null]);
    expect(performance.now() - began).toBeLessThan(2_000);
    await gone(pid);
  });

  test("does not end while a question is open", async () => {
    const { says, ended } = child("open");
    process.kill(Number(await says()), "SIGCONT");
    expect(await says()).toMatch(/^answered [0-9a-f]{40}$/);
    expect(await ended).toEqual([0, null]);
  });

  test("takes them along when it is killed, with no ref locked or moved", async () => {
    const { root, started, says, ended } = child("open-update");
    const pid = Number(await says());
    started.kill("SIGKILL");
    await ended;
    process.kill(pid, "SIGCONT");
    await gone(pid);
    expect(readdirSync(join(root, "user/.git/refs/heads"))).toEqual(["main", "x"]);
    expect(existsSync(join(root, "user/.git/refs/heads/x.lock"))).toBe(false);
  });

  test("that can open no more files is told so, and is answered once it can", async () => {
    const { says, ended } = child("files", 64);
    expect(await says()).toMatch(/EMFILE/);
    expect(await says()).toMatch(/^answered [0-9a-f]{40}$/);
    expect(await ended).toEqual([0, null]);
  });
});

/** Later by some turns of the event loop: what was asked before has been written. */
async function turnsLater(n: number): Promise<void> {
  for (let i = 0; i < n; i++) await new Promise((settle) => setImmediate(settle));
}

/** Collects what nobody holds. */
function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
