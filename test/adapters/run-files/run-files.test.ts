import { hash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { privateTmp } from "../../../src/adapters/private-tmp.ts";
import { createRunFiles } from "../../../src/adapters/run-files/run-files.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { UserError } from "../../../src/domain/values/user-error.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const T1 = TicketId.parse("T-1");
const folder = scratchFolder();
afterEach(() => void vi.unstubAllEnvs());

describe("the run's files", () => {
  test("an attempt has a folder of its own with an outbox; making it again loses nothing", async () => {
    const files = createRunFiles({ folder: join(folder(), "run"), worktrees: join(folder(), "wt") });
    const first = await files.attempt(T1, 2);
    expect(first).toMatchObject({
      folder: join(folder(), "run/tickets/T-1/attempt-2"),
      outbox: join(folder(), "run/tickets/T-1/attempt-2/outbox"),
    });
    await files.write(first.prompt, "secret");
    expect(statSync(first.prompt).mode & 0o777).toBe(0o600);
    await files.attempt(T1, 2);
    expect([await files.exists(first.prompt), await files.exists(first.patch)]).toEqual([true, false]);
    expect(first.log("check-../../x y")).toBe(join(first.folder, "check-..-..-x-y.log"));
    expect(files.worktreePath(T1, 2)).toBe(join(folder(), "wt/T-1-2"));
  });

  test("there is room on a disk that has some, and on one that does not count", async () => {
    for (const place of [folder(), "/proc"])
      expect([place, await createRunFiles({ folder: place, worktrees: folder() }).hasRoom()]).toEqual([place, true]);
  });

  test("a place to judge in is another one each time and is within the run's folder, whatever the step is called", async () => {
    const files = createRunFiles({ folder: join(folder(), "run"), worktrees: join(folder(), "wt") });
    const [a, b] = [files.checkoutPath(T1, "../../etc"), files.checkoutPath(T1, "../../etc")];
    expect(a).not.toBe(b);
    expect(resolve(a)).toMatch(new RegExp(`^${join(folder(), "run/judge")}/[^/]+$`));
    mkdirSync(join(a, "deep"), { recursive: true });
    writeFileSync(join(a, "deep/f"), "x");
    await files.remove(a);
    await files.remove(a);
    expect(existsSync(a)).toBe(false);
  });
});

describe("a worktree that is set aside", () => {
  test("frees its path at once, and what an engine that died has left of it is removed, and nothing else", async () => {
    const worktrees = join(folder(), "wt");
    const files = createRunFiles({ folder: join(folder(), "run"), worktrees });
    const [first, second] = [files.worktreePath(T1, 1), files.worktreePath(T1, 2)];
    mkdirSync(join(first, "node_modules"), { recursive: true });
    mkdirSync(second);
    const aside = await files.setAside(first);
    expect([existsSync(first), existsSync(join(aside ?? "", "node_modules"))]).toEqual([false, true]);
    expect(await files.setAside(first)).toBeUndefined();
    await createRunFiles({ folder: join(folder(), "run"), worktrees }).removeSetAside();
    expect(readdirSync(worktrees)).toEqual(["T-1-2"]);
  });

  test("is removed where it is if it cannot be moved", async () => {
    // The path of a worktree just fits (PATH_MAX is 4096 with its end), and a longer name does not.
    const parts = Array.from({ length: 21 }, () => "d".repeat(200));
    const worktrees = join(folder(), ...parts)
      .slice(0, 4_086)
      .replace(/\/$/, "d");
    const files = createRunFiles({ folder: join(folder(), "run"), worktrees });
    mkdirSync(files.worktreePath(T1, 1), { recursive: true });
    expect(await files.setAside(files.worktreePath(T1, 1))).toBeUndefined();
    expect(readdirSync(worktrees)).toEqual(["T-1-1"]);
  });

  test("is one of the run, and no other folder", async () => {
    const files = createRunFiles({ folder: join(folder(), "run"), worktrees: join(folder(), "wt") });
    mkdirSync(join(folder(), "mine"));
    await expect(files.setAside(join(folder(), "mine"))).rejects.toThrow("is no worktree of this run");
    await files.removeSetAside();
  });
});

describe("the user's own folder under the system's temporary one", () => {
  const at = (name: string) => join(folder(), name, `loopdash-${process.getuid?.()}`);

  test("is made for this user alone, and is the same each time", () => {
    mkdirSync(join(folder(), "tmp"));
    vi.stubEnv("TMPDIR", join(folder(), "tmp"));
    expect(privateTmp()).toBe(at("tmp"));
    expect(statSync(at("tmp")).mode & 0o777).toBe(0o700);
    expect(privateTmp()).toBe(at("tmp"));
  });

  test.for([
    ["a link, even to a folder of the user's own", (path: string) => symlinkSync(folder(), path), "it is not a folder"],
    ["a file", (path: string) => writeFileSync(path, ""), "it is not a folder"],
    ["a folder that others may enter", (path: string) => mkdirSync(path, { mode: 0o755 }), "other users have rights in it"],
  ] as const)("%s in its place is refused with exit 4", ([, make, why]) => {
    mkdirSync(join(folder(), "tmp"));
    make(at("tmp"));
    vi.stubEnv("TMPDIR", join(folder(), "tmp"));
    expect(() => privateTmp()).toThrow(why);
  });

  test("a temporary folder that is not there is refused", () => {
    vi.stubEnv("TMPDIR", join(folder(), "none"));
    expect(() => privateTmp()).toThrow(UserError);
  });
});

describe("a list of files", () => {
  test("has the plain files below a folder with their sums, and says why others are left out", async () => {
    const files = createRunFiles({ folder: join(folder(), "run"), worktrees: join(folder(), "wt") });
    const { folder: attempt, outbox, session } = await files.attempt(T1, 1);
    writeFileSync(join(attempt, "b.log"), "b");
    writeFileSync(join(outbox, "notes.md"), "");
    writeFileSync(join(session, "token"), "x");
    symlinkSync("/etc/passwd", join(outbox, "link"));
    symlinkSync("/etc", join(attempt, "folder"));
    mkdirSync(join(outbox, "a/b/c/d/e/f"), { recursive: true });
    expect(await files.list(attempt, ["session"])).toMatchObject({
      files: [
        { path: "b.log", bytes: 1, sha256: hash("sha256", "b") },
        { path: "outbox/notes.md", bytes: 0, sha256: hash("sha256", "") },
      ],
      leftOut: [
        { path: "folder", why: "it is a link" },
        { path: "outbox/a/b/c/d", why: "it is too deep" },
        { path: "outbox/link", why: "it is a link" },
      ],
    });
  });

  test("ends somewhere, however many files an agent makes, and has the attempt's own first", async () => {
    const files = createRunFiles({ folder: join(folder(), "run"), worktrees: join(folder(), "wt") });
    const { folder: attempt, outbox, log } = await files.attempt(T1, 1);
    for (let i = 0; i < 1_010; i++) writeFileSync(join(outbox, `${i}`), "");
    writeFileSync(log("verify-live"), "");
    const { files: listed, leftOut } = await files.list(attempt, ["session"]);
    expect([listed.length, listed.at(-1)?.path]).toEqual([1_000, "verify-live.log"]);
    expect(leftOut).toEqual([{ path: "outbox", why: "there are more than 1000 files" }]);
  });

  test("leaves out a file that is larger than any log, without reading it", async () => {
    const files = createRunFiles({ folder: join(folder(), "run"), worktrees: join(folder(), "wt") });
    const { folder: attempt, outbox } = await files.attempt(T1, 1);
    writeFileSync(join(outbox, "large"), "");
    truncateSync(join(outbox, "large"), 2 ** 40);
    expect(await files.list(attempt, [])).toMatchObject({
      files: [],
      leftOut: [{ path: "outbox/large", why: "it is larger than 33554432 bytes" }],
    });
  });

  test("a file is written whole or not at all, for this user alone", async () => {
    const files = createRunFiles({ folder: join(folder(), "run"), worktrees: join(folder(), "wt") });
    const file = join(folder(), "bundle.json");
    expect(await files.writeWhole(file, "one")).toEqual({ bytes: 3, sha256: hash("sha256", "one") });
    expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["one", 0o600]);
    mkdirSync(`${file}.new`);
    await expect(files.writeWhole(file, "two")).rejects.toThrow();
    expect(readFileSync(file, "utf8")).toBe("one");
  });

  test("what runs after an attempt has a folder of its own within that of the attempt", async () => {
    const files = createRunFiles({ folder: join(folder(), "run"), worktrees: join(folder(), "wt") });
    const { folder: attempt } = await files.attempt(T1, 1);
    const later = await files.afterAttempt(T1, 1);
    expect(later.log("verify-live")).toBe(join(attempt, "later/verify-live.log"));
  });
});
