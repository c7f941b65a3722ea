import { execFileSync } from "node:child_process";
import {
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { createTestResultsReader } from "../../../src/adapters/test-results/results-reader.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const PROGRAM = resolve(import.meta.dirname, "../../../src/cli/main.ts");
const reports = createTestResultsReader({ program: PROGRAM, args: ["__results"] });
const ONE = "TAP version 13\nok 1 - a\n1..1\n";
const A = { ok: true, tests: [{ id: "a", outcome: "passed" }] };

/** What a report says that comes to be in `write`, after `before`. */
async function reading(options: { path?: string; before?: (file: string) => void; write?: (file: string) => void }) {
  const home = join(folder(), "checkout");
  mkdirSync(home, { recursive: true });
  const path = options.path ?? "out/report.tap";
  const file = join(home, path);
  options.before?.(file);
  const awaited = await reports.await({ format: "tap", folder: home, path });
  options.write?.(file);
  return awaited.read([home]);
}

function write(file: string, text = ONE): void {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
}

test("what is written after the start is read", async () => {
  expect(await reading({ write: (file) => write(file) })).toEqual(A);
  expect(await reading({ path: "report.tap", write: (file) => write(file) })).toEqual(A);
});

test("text is read as a file is", async () => {
  expect(await reports.parse({ format: "tap", text: ONE, roots: [] })).toEqual(A);
  expect(await reports.parse({ format: "tap", text: "", roots: [] })).toMatchObject({ ok: false, problem: "it is empty" });
});

describe("a report that was there before (A17)", () => {
  test("is removed, so nothing is left where the command writes none", async () => {
    expect(await reading({ before: write })).toEqual({ ok: false, absent: true, problem: "the command left none" });
    expect(readdirSync(join(folder(), "checkout/out"))).toEqual([]);
  });

  test("is removed where a folder or a link lies in its place, and what the link leads to stays", async () => {
    const kept = join(folder(), "kept.tap");
    write(kept);
    const link = (file: string) => (mkdirSync(join(file, ".."), { recursive: true }), symlinkSync(kept, file));
    expect(await reading({ before: link })).toMatchObject({ absent: true });
    expect(await reading({ before: (file) => write(join(file, "inner")) })).toMatchObject({ absent: true });
    expect(readdirSync(folder())).toContain("kept.tap");
  });

  test("is refused where it comes back with its old time", async () => {
    const old = join(folder(), "old.tap");
    const restore = (file: string) => {
      mkdirSync(join(file, ".."), { recursive: true });
      cpSync(old, file, { preserveTimestamps: true });
    };
    write(old);
    utimesSync(old, 1_000_000, 1_000_000);
    expect(await reading({ write: restore })).toMatchObject({ ok: false, problem: "it is older than the start of the command" });
  });

  test("is refused where it is moved into place", async () => {
    const old = join(folder(), "old.tap");
    write(old);
    utimesSync(old, new Date(), new Date(Date.now() - 60_000));
    const move = (file: string) => (mkdirSync(join(file, ".."), { recursive: true }), renameSync(old, file));
    expect(await reading({ write: move })).toMatchObject({ ok: false, problem: "it is older than the start of the command" });
  });

  test("is refused where it is a second name of an old file", async () => {
    const old = join(folder(), "old.tap");
    write(old);
    const link = (file: string) => {
      mkdirSync(join(file, ".."), { recursive: true });
      linkSync(old, file);
      utimesSync(file, new Date(), new Date());
    };
    expect(await reading({ write: link })).toMatchObject({ ok: false, problem: "it is a second name of another file" });
  });
});

describe("a place that leads elsewhere", () => {
  test("a link in place of the report", async () => {
    const out = join(folder(), "outside.tap");
    const link = (file: string) => (write(out), mkdirSync(join(file, ".."), { recursive: true }), symlinkSync(out, file));
    expect(await reading({ write: link })).toMatchObject({ ok: false, absent: false, problem: "it is a link" });
  });

  test("a link on the way, before the start: nothing beyond it is removed", async () => {
    const outside = join(folder(), "outside");
    const link = (file: string) => (write(join(outside, "report.tap")), symlinkSync(outside, join(file, "..")));
    expect(await reading({ before: link })).toMatchObject({
      ok: false,
      absent: false,
      problem: expect.stringContaining("the way"),
    });
    expect(readdirSync(outside)).toEqual(["report.tap"]);
  });

  test("a link on the way, after the start", async () => {
    const outside = join(folder(), "outside");
    const link = (file: string) => (write(join(outside, "report.tap")), symlinkSync(outside, join(file, "..")));
    expect(await reading({ write: link })).toMatchObject({
      ok: false,
      absent: false,
      problem: expect.stringContaining("its way"),
    });
  });

  test("a pipe, a folder, a file that may not be read", async () => {
    const parent = (file: string) => mkdirSync(join(file, ".."), { recursive: true });
    const pipe = (file: string) => (parent(file), execFileSync("mkfifo", [file]));
    expect(await reading({ write: pipe })).toMatchObject({ ok: false, problem: "it is not a file" });
    expect(await reading({ write: (file) => mkdirSync(file, { recursive: true }) })).toMatchObject({
      ok: false,
      problem: "it is not a file",
    });
    rmSync(join(folder(), "checkout"), { recursive: true });
  });
});

describe("bounds", () => {
  test("a report that is too long is not read at all", async () => {
    const long = (file: string) => {
      write(file);
      truncateSync(file, 65 * 1024 * 1024);
    };
    expect(await reading({ write: long })).toMatchObject({ ok: false, problem: expect.stringContaining("longer than") });
  });

  test("a reader that takes too long is ended, and one that dies is a problem", async () => {
    const slow = createTestResultsReader({ program: PROGRAM, args: ["__results"], timeoutMs: 1 });
    expect(await slow.parse({ format: "tap", text: ONE, roots: [] })).toMatchObject({
      ok: false,
      problem: "reading it took longer than 0.001 s",
    });
    const dead = createTestResultsReader({ program: join(folder(), "nosuch.mjs"), args: [] });
    expect(await dead.parse({ format: "tap", text: ONE, roots: [] })).toMatchObject({ ok: false, absent: false });
  });

  test("the event loop goes on while a report is read", async () => {
    const points = Array.from({ length: 50_000 }, (_, i) => `ok ${i + 1} - t${i}\n`).join("");
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 5);
    const read = await reports.parse({ format: "tap", text: `${points}1..50000\n`, roots: [] });
    clearInterval(timer);
    expect(read.ok && read.tests.length).toBe(50_000);
    expect(turns).toBeGreaterThan(5);
  });
});
