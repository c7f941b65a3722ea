import fs, { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openAuditLog } from "../../../src/adapters/audit/audit-log.ts";
import {
  type AuditEntry,
  type AuditHead,
  readAuditRow,
  SEGMENT_BYTES,
  segmentName,
} from "../../../src/domain/audit/audit-row.ts";
import { checkAudit } from "../../../src/domain/audit/check-audit.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const scratch = scratchFolder();
const T1 = TicketId.parse("T-1");
const RUN = "run-1";

const folder = () => join(scratch(), "audit");
const entry = (command: string, over: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ ticket: T1, attempt: 1, vendor: "claude", kind: "run", exit: 0, command },
  ...over,
});
const open = (head?: AuditHead) => openAuditLog({ folder: folder(), run: RUN, head: () => head, clock: { now: () => 7 } });
const file = (segment: number) => join(folder(), segmentName(segment));
const text = (segment: number) => readFileSync(file(segment), "utf8");
const rows = (segment: number) => text(segment).split("\n").slice(0, -1).map(readAuditRow);
const check = (...heads: readonly (AuditHead | undefined)[]) =>
  checkAudit(
    RUN,
    heads.filter((head) => head !== undefined),
    async (segment) => (existsSync(file(segment)) ? text(segment) : undefined),
  );

/** Writes rows, and gives the head. */
function written(...commands: readonly string[]): AuditHead {
  using log = open();
  for (const command of commands) log.append(entry(command));
  const head = log.flush();
  if (head === undefined) throw new Error("no row");
  return head;
}

/** Rows of 4 KB, so that so many segments are full. */
function segments(many: number): AuditHead {
  return written(...Array.from({ length: many * 260 }, (_, i) => `npm run ${i} ${"x".repeat(3_900)}`));
}

function edit(segment: number, change: (lines: string[]) => string[]): void {
  writeFileSync(file(segment), change(text(segment).split("\n")).join("\n"));
}

describe("the log", () => {
  test("has a row for each entry, at once, and makes no folder before the first", async () => {
    using log = open();
    expect(log.flush()).toBeUndefined();
    expect(existsSync(folder())).toBe(false);
    log.append(entry("npm test", { exit: 1, cwd: "/w" }));
    expect(rows(1)).toEqual([
      {
        n: 1,
        at: 7,
        ticket: "T-1",
        attempt: 1,
        vendor: "claude",
        kind: "run",
        exit: 1,
        command: "npm test",
        cwd: "/w",
        prev: expect.any(String),
      },
    ]);
    expect(await check(log.flush())).toMatchObject({ rows: 1, problems: [], notes: [] });
  });

  test("bounds commands, and is plain ASCII whatever they hold", () => {
    written("x".repeat(10_000), "echo \u202e\u009b31m é\n💥 \ud800");
    expect(rows(1)[0]).toMatchObject({ command: `${"x".repeat(4_000)}…`, chars: 10_000 });
    expect(rows(1)[1]).toMatchObject({ command: "echo \u202e\u009b31m é\n💥 \ud800" });
    expect(text(1)).toMatch(/^[\n -~]*$/);
  });

  test("goes on in segments of a fixed size, also after a restart, and rewrites none", async () => {
    const first = segments(2);
    const before = [text(1), text(2), text(3)];
    using log = open(first);
    log.append(entry("npm test"));
    const head = log.flush();
    expect(head?.segment).toBe(3);
    expect([text(1), text(2)]).toEqual(before.slice(0, 2));
    expect(text(3).startsWith(before[2] ?? "?")).toBe(true);
    for (const name of readdirSync(folder()))
      expect(readFileSync(join(folder(), name)).length).toBeLessThanOrEqual(SEGMENT_BYTES);
    expect(await check(first, head)).toMatchObject({ rows: first.n + 1, problems: [], notes: [] });
  });
});

describe("after a lost engine", () => {
  test("a torn last line stays as it is, and a row of the next segment accounts for it", async () => {
    const head = written("npm a", "npm b");
    appendFileSync(file(1), '{"n":3,"at":7,"tick');
    const torn = text(1);
    expect((await check(head)).notes).toEqual([expect.stringContaining("the last line is torn")]);
    using log = open(head);
    log.append(entry("npm c"));
    expect(text(1)).toBe(torn);
    expect(rows(2)).toMatchObject([
      { n: 3, kind: "torn", chars: 19 },
      { n: 4, command: "npm c" },
    ]);
    expect(await check(head, log.flush())).toMatchObject({ rows: 4, problems: [], notes: [] });
    writeFileSync(file(1), torn.replace('"tick', '"tock'));
    expect((await check(head, log.flush())).problems).toMatchObject([{ path: "audit/000001.jsonl", kind: "changed" }]);
    // Without the torn text, the row that accounts for it lies.
    writeFileSync(file(1), torn.slice(0, -19));
    expect((await check(head, log.flush())).problems).toMatchObject([
      { why: "row 3: the torn text that it accounts for is not there" },
    ]);
  });

  test("`flush` alone accounts for it", async () => {
    const head = written("npm a");
    appendFileSync(file(1), "\0\0\0");
    using log = open(head);
    expect(log.flush()).toMatchObject({ segment: 2, n: 2 });
    expect(open(log.flush()).flush()).toEqual(log.flush());
  });

  test("rows that the journal names and that are gone are not replaced", async () => {
    const head = written("npm a", "npm b", "npm c");
    edit(1, (lines) => [...lines.slice(0, 2), ""]);
    using log = open(head);
    log.append(entry("npm d"));
    expect(rows(2)).toMatchObject([{ n: 4, command: "npm d" }]);
    expect((await check(head, log.flush())).problems).toMatchObject([
      { path: "audit/000002.jsonl", why: expect.stringContaining("row 3: it is missing (the next one is row 4)") },
    ]);
  });
});

describe("a full disk", () => {
  /** Lets the disk take so many bytes of each write, then none. */
  function full(act: () => void, room = 0): void {
    const real = fs.writeSync;
    let left = room;
    const refuse = ((fd: number, bytes: Buffer, from: number) => {
      const most = Math.min(left, bytes.length - from);
      left -= most;
      if (most === 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC", syscall: "write" });
      return real(fd, bytes, from, most);
    }) as unknown as typeof fs.writeSync;
    fs.writeSync = refuse;
    syncBuiltinESMExports();
    try {
      act();
    } finally {
      fs.writeSync = real;
      syncBuiltinESMExports();
    }
  }

  test("keeps rows waiting, also half a one, and they are all there afterwards", async () => {
    using log = open();
    full(() => {
      for (const command of ["npm a", "npm b", "npm c"]) log.append(entry(command));
      expect(() => log.flush()).toThrow("no space");
    }, 30);
    expect(text(1)).toHaveLength(30);
    const head = log.flush();
    expect(rows(1)).toMatchObject([{ command: "npm a" }, { command: "npm b" }, { command: "npm c" }]);
    expect(await check(head)).toMatchObject({ rows: 3, problems: [], notes: [] });
  });

  test("keeps a bounded number of them, and counts the others in a row", async () => {
    using log = open();
    full(() => {
      for (let i = 0; i < 2_010; i++) log.append(entry(`npm ${i}`));
    });
    const head = log.flush();
    expect(rows(1).at(-1)).toMatchObject({ n: 2_002, kind: "left-out", rows: 9 });
    expect(await check(head)).toMatchObject({ rows: 2_002, problems: [] });
  });
});

describe("a check of the log finds", () => {
  const found = async (head: AuditHead) => (await check(head)).problems.map(({ kind, path, why }) => `${kind}: ${path}: ${why}`);

  test("a changed row, and the last one as well", async () => {
    const head = written("npm a", "npm b", "npm c");
    const before = text(1);
    edit(1, (lines) => lines.map((line) => line.replace("npm b", "npm x")));
    expect(await found(head)).toEqual([
      "changed: audit/000001.jsonl: row 2: it was changed after it was written, or row 3 was. Nothing behind row 2 is proven",
    ]);
    writeFileSync(file(1), before.replace("npm c", "npm x"));
    expect(await found(head)).toEqual(["changed: audit/000001.jsonl: row 3: it is not the one that the journal names"]);
  });

  test("a removed row, moved rows, a cut tail", async () => {
    const head = written("npm a", "npm b", "npm c");
    const before = text(1);
    edit(1, ([a, , c]) => [a ?? "", c ?? "", ""]);
    expect(await found(head)).toEqual([expect.stringContaining("row 2: it is missing (the next one is row 3)")]);
    writeFileSync(file(1), before);
    edit(1, ([a, b, c]) => [b ?? "", a ?? "", c ?? "", ""]);
    expect(await found(head)).toEqual([expect.stringContaining("row 1: it is missing (the next one is row 2)")]);
    writeFileSync(file(1), before);
    edit(1, ([a, b]) => [a ?? "", b ?? "", a ?? "", ""]);
    expect(await found(head)).toEqual([expect.stringContaining("row 1 stands after row 2")]);
    writeFileSync(file(1), before);
    edit(1, (lines) => [...lines.slice(0, 2), ""]);
    expect(await found(head)).toEqual(["changed: audit/000001.jsonl: row 3 was written last, and the log ends with row 2"]);
    writeFileSync(file(1), before.slice(0, -5));
    expect(await found(head)).toEqual([expect.stringContaining("the last line is torn")]);
    writeFileSync(file(1), `${before.replace(/\n[^]*/, "")}\nno row\n`);
    expect(await found(head)).toEqual([expect.stringContaining("row 2: it is no row")]);
  });

  test("a removed segment: the first, one in between, the last", async () => {
    const head = segments(2);
    for (const segment of [1, 2, 3]) {
      const before = text(segment);
      rmSync(file(segment));
      expect(await found(head)).toEqual([
        `missing: audit/00000${segment}.jsonl: the journal names rows of it, and it is not there`,
      ]);
      writeFileSync(file(segment), before);
    }
    expect(await found(head)).toEqual([]);
  });

  test("segments that were joined or exchanged", async () => {
    const head = segments(1);
    const [one, two] = [text(1), text(2)];
    writeFileSync(file(1), one + two);
    writeFileSync(file(2), "");
    expect(await found(head)).toEqual([`changed: audit/000001.jsonl: row ${head.n}: it was written to audit/000002.jsonl`]);
    writeFileSync(file(1), two);
    writeFileSync(file(2), one);
    expect(await found(head)).toEqual([expect.stringContaining("audit/000001.jsonl: row 1: it is missing")]);
  });

  test("a log of another run, and a whole new chain", async () => {
    const head = written("npm a");
    const own = text(1);
    rmSync(folder(), { recursive: true });
    mkdirSync(folder());
    const other = openAuditLog({ folder: folder(), run: "run-2", head: () => undefined, clock: { now: () => 7 } });
    other.append(entry("npm a"));
    expect(await found(head)).toEqual([expect.stringContaining("row 1: it does not begin this log")]);
    rmSync(folder(), { recursive: true });
    written("npm x");
    expect(await found(head)).toEqual(["changed: audit/000001.jsonl: row 1: it is not the one that the journal names"]);
    writeFileSync(file(1), own);
    expect(await found(head)).toEqual([]);
  });

  test("rows behind the last head: not proven, and no problem", async () => {
    const head = written("npm a");
    using log = open(head);
    log.append(entry("npm b"));
    log.append(entry("npm c"));
    expect((await check(head)).notes).toEqual(["audit: the last 2 rows are not proven yet: no row of the journal names them"]);
  });
});
