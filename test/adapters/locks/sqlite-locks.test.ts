import { type ChildProcessByStdio, spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLocks } from "../../../src/adapters/locks/sqlite-locks.ts";
import { UserError } from "../../../src/domain/values/user-error.ts";
import type { Locks } from "../../../src/ports/locks.ts";

const ME = { pid: 1, run: "mine", since: 1 };
const YOU = { pid: 2, run: "yours", since: 2 };

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "loopdash-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** A process that is ready to take `resources`. */
async function holder(folder: string, ...resources: string[]): Promise<Child> {
  return started(join(import.meta.dirname, "holder.child.ts"), folder, ...resources);
}

async function started(script: string, ...args: string[]): Promise<Child> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

async function go(child: Child): Promise<string> {
  child.stdin.write("go\n");
  const [said] = await once(child.stdout, "data");
  return String(said).trim();
}

async function killed(child: Child): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** Takes and says whether it got all; what it got is freed when the test is over. */
function got(locks: Locks, ...resources: string[]): boolean {
  const taken = locks.take(resources, ME);
  if (taken.ok) onTestFinished(() => taken.locks.forEach((lock) => void lock[Symbol.dispose]()));
  return taken.ok;
}

function wordsFile(folder: string, resource: string): string {
  return join(folder, `${hash("sha256", resource).slice(0, 32)}.json`);
}

describe("in one process", () => {
  test("a lock is held until it is disposed of, and then no longer", () => {
    const locks = createLocks(tempFolder());
    const taken = locks.take(["a"], ME);
    if (!taken.ok) throw new Error("not taken");
    expect(taken.locks.map((lock) => lock.resource)).toEqual(["a"]);
    expect(locks.isHeld("a")).toBe(true);
    expect(locks.isHeld("b")).toBe(false);
    for (const lock of [...taken.locks, ...taken.locks]) lock[Symbol.dispose]();
    expect(locks.isHeld("a")).toBe(false);
    expect(got(locks, "a")).toBe(true);
  });

  test("taking twice is refused and names the holder, through another Locks too", () => {
    const folder = tempFolder();
    const locks = createLocks(folder);
    expect(got(locks, "a")).toBe(true);
    expect(locks.take(["a"], YOU)).toEqual({ ok: false, resource: "a", holder: ME });
    expect(createLocks(folder).take(["a"], YOU)).toEqual({ ok: false, resource: "a", holder: ME });
    expect(createLocks(folder).isHeld("a")).toBe(true);
  });

  test("all are taken or none", () => {
    const folder = tempFolder();
    const locks = createLocks(folder);
    expect(got(locks, "b")).toBe(true);
    expect(locks.take(["c", "a", "b"], YOU)).toMatchObject({ ok: false, resource: "b" });
    for (const looker of [locks, createLocks(folder)])
      expect(["a", "b", "c"].map((r) => looker.isHeld(r))).toEqual([false, true, false]);
  });

  test("the same resource named twice is one lock", () => {
    const taken = createLocks(tempFolder()).take(["a", "a"], ME);
    if (!taken.ok) throw new Error("not taken");
    expect(taken.locks).toHaveLength(1);
    taken.locks[0]?.[Symbol.dispose]();
  });

  test("an old lock disposed of again does not free a new holder", () => {
    const folder = tempFolder();
    const locks = createLocks(folder);
    const first = locks.take(["a"], ME);
    if (!first.ok) throw new Error("not taken");
    first.locks[0]?.[Symbol.dispose]();
    expect(got(locks, "a")).toBe(true);
    first.locks[0]?.[Symbol.dispose]();
    expect(createLocks(folder).isHeld("a")).toBe(true);
  });

  test("any text can name a resource, and names no path", () => {
    const folder = tempFolder();
    const names = ["../../etc/passwd", "/a/b", "x".repeat(10_000), "é\u0000", ""];
    expect(got(createLocks(folder), ...names)).toBe(true);
    for (const name of readdirSync(folder)) expect(name).toMatch(/^[0-9a-f]{32}\.(lock|json)$/);
  });

  test("files are this user's alone and hold no data but the words", () => {
    const folder = join(tempFolder(), "new", "locks");
    const locks = createLocks(folder);
    expect(locks.isHeld("a")).toBe(false);
    expect(got(locks, "a")).toBe(true);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toHaveLength(2);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(wordsFile(folder, "a"), "utf8"))).toEqual(ME);
  });

  test.for([
    ["a file", (folder: string) => writeFileSync(join(folder, "x"), "")],
    ["nothing that can be made", (folder: string) => rmSync(folder, { recursive: true })],
  ] as const)("a folder that is %s is refused", ([word, spoil]) => {
    const folder = tempFolder();
    spoil(folder);
    const locks = createLocks(word === "a file" ? join(folder, "x") : "/proc/loopdash");
    expect(() => locks.take(["a"], ME)).toThrow(UserError);
    expect(() => locks.take(["a"], ME)).toThrow("cannot use the locks in");
  });

  test("words that cannot be written mean no lock", () => {
    const folder = tempFolder();
    const locks = createLocks(folder);
    // A folder in their place makes the rename fail.
    mkdirSync(join(wordsFile(folder, "b"), "x"), { recursive: true });
    expect(() => locks.take(["a", "b"], ME)).toThrow(UserError);
    expect(["a", "b"].map((name) => createLocks(folder).isHeld(name))).toEqual([false, false]);
  });
});

describe("between processes", () => {
  test("a holder that is killed loses its locks at once", async () => {
    const folder = tempFolder();
    const locks = createLocks(folder);
    const child = await holder(folder, "a", "b");
    expect(await go(child)).toBe("held");
    expect(locks.isHeld("a")).toBe(true);
    expect(locks.take(["b"], ME)).toEqual({
      ok: false,
      resource: "b",
      holder: { pid: child.pid, run: `run-${child.pid}`, since: 5 },
    });
    await killed(child);
    expect(locks.isHeld("a")).toBe(false);
    expect(got(locks, "a", "b")).toBe(true);
  });

  test("a holder that is stopped still holds", async () => {
    const folder = tempFolder();
    const locks = createLocks(folder);
    const child = await holder(folder, "a");
    expect(await go(child)).toBe("held");
    child.kill("SIGSTOP");
    expect(locks.isHeld("a")).toBe(true);
    expect(got(locks, "a")).toBe(false);
    await killed(child);
    expect(got(locks, "a")).toBe(true);
  });

  test("what this process does with other lock objects leaves its own locks whole", async () => {
    const folder = tempFolder();
    const locks = createLocks(folder);
    expect(got(locks, "a")).toBe(true);
    for (let i = 0; i < 3; i++) {
      locks.isHeld("a");
      locks.take(["a"], YOU);
      createLocks(folder).isHeld("a");
      createLocks(folder).take(["a"], YOU);
    }
    expect(await go(await holder(folder, "a"))).toBe("refused");
  });

  test("of two that race exactly one wins, each time", { timeout: 60_000 }, async () => {
    const folder = tempFolder();
    for (let round = 0; round < 20; round++) {
      const children = await Promise.all([holder(folder, "a", "b"), holder(folder, "b", "a")]);
      const said = await Promise.all(children.map(go));
      expect(said.sort(), `round ${round}`).toEqual(["held", "refused"]);
      await Promise.all(children.map(killed));
    }
  });

  test("somebody who only looks never makes a free lock seem held", async () => {
    const folder = tempFolder();
    const locks = createLocks(folder);
    const taken = locks.take(["a"], ME);
    if (!taken.ok) throw new Error("not taken");
    taken.locks[0]?.[Symbol.dispose]();
    await started(join(import.meta.dirname, "looker.child.ts"), folder, "a");
    for (let i = 0; i < 300; i++) {
      const again = locks.take(["a"], ME);
      expect(again.ok, `round ${i}`).toBe(true);
      if (again.ok) again.locks[0]?.[Symbol.dispose]();
    }
  });

  test("words left behind decide nothing, whoever has their pid now", async () => {
    const folder = tempFolder();
    const locks = createLocks(folder);
    const child = await holder(folder, "a");
    await go(child);
    await killed(child);
    writeFileSync(wordsFile(folder, "a"), JSON.stringify({ pid: process.pid, run: "long gone", since: 1 }));
    expect(locks.isHeld("a")).toBe(false);
    expect(got(locks, "a")).toBe(true);
  });

  test("words that make no sense leave the holder unnamed and the lock held", async () => {
    const folder = tempFolder();
    const child = await holder(folder, "a");
    await go(child);
    for (const words of ["{", "[]", '{"pid":"x"}', ""]) {
      writeFileSync(wordsFile(folder, "a"), words);
      expect(createLocks(folder).take(["a"], ME)).toEqual({ ok: false, resource: "a" });
    }
    rmSync(wordsFile(folder, "a"));
    expect(createLocks(folder).take(["a"], ME)).toEqual({ ok: false, resource: "a" });
  });
});
