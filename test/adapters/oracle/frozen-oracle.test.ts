import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createFrozenOracle } from "../../../src/adapters/oracle/frozen-oracle.ts";
import { loadOracleBytes } from "../../../src/adapters/oracle/load-oracle.ts";
import { oracleSha } from "../../../src/adapters/oracle/oracle-batch.ts";
import { createEmbeddedTracker, seedEmbeddedTracker } from "../../../src/adapters/tracker/embedded.ts";
import { createFolderTracker } from "../../../src/adapters/tracker/folder.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { Oracle, OracleBatch } from "../../../src/ports/oracle.ts";
import { bundleOracle } from "../../helpers/bundle-oracle.ts";
import { withPatchedFs } from "../../helpers/patched-fs.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const A = TicketId.parse("T-1");
const B = TicketId.parse("T-2");
const file = () => join(folder(), "tracker.json");
const scratch = () => join(folder(), "scratch");
const batch = (): OracleBatch => ({ version: 1, tracker: { kind: "embedded", file: file() }, tickets: [A, B] });
const tracker = () => createEmbeddedTracker({ file: file(), ids: [A, B] });

beforeEach(async () => {
  mkdirSync(scratch());
  await seedEmbeddedTracker(file(), [
    { id: A, title: "One", body: "" },
    { id: B, title: "Two", body: "" },
  ]);
});
afterEach(() => {
  vi.unstubAllEnvs();
  expect(readdirSync(scratch())).toEqual([]);
});

/** An oracle of the given source in place of the real one. */
function planted(source: string, deadlineMs = 20_000): Oracle {
  return createFrozenOracle({ bytes: new TextEncoder().encode(source), batch: batch(), scratch: scratch(), deadlineMs });
}

/** Source that prints sound evidence of two done tickets, and exits 0, unless `before` goes otherwise. */
const saysDone = (before = "") => `${before}
console.log('{"id":"T-1","state":"done"}\\n{"id":"T-2","state":"done"}\\n{"verdict":"done","done":2,"gated":0,"open":0}');`;

describe("the real oracle, frozen", () => {
  test("follows the tracker from not done to done", async () => {
    const oracle = createFrozenOracle({ bytes: await bundleOracle(), batch: batch(), scratch: scratch() });
    expect(oracle.sha).toBe(oracleSha(await bundleOracle()));
    expect(await oracle.judge()).toEqual({
      verdict: "not-done",
      counts: { done: 0, gated: 0, open: 2 },
      open: [A, B],
      durationMs: expect.any(Number) as number,
    });
    await tracker().set(A, { as: "done" }, "");
    expect(await oracle.judge()).toMatchObject({ verdict: "not-done", counts: { done: 1, gated: 0, open: 1 }, open: [B] });
    await tracker().set(B, { as: "human-gated", step: "press it" }, "");
    expect(await oracle.judge()).toMatchObject({ verdict: "done", counts: { done: 1, gated: 1, open: 0 }, open: [] });
    writeFileSync(file(), readFileSync(file(), "utf8").slice(0, 30));
    expect(await oracle.judge()).toMatchObject({ verdict: "unjudged", problem: expect.stringContaining("not JSON") as string });
  });

  test("judges a folder, also one whose path has spaces, commas and a link in it", async () => {
    const real = join(folder(), "a, b");
    mkdirSync(real);
    symlinkSync(real, join(folder(), "link"));
    for (const id of [A, B]) writeFileSync(join(real, `${id}.md`), "---\nstate: open\n---\n# T\n");
    const tickets = createFolderTracker({ folder: real, ids: [A, B] });
    for (const place of [real, join(folder(), "link")]) {
      const oracle = createFrozenOracle({
        bytes: await bundleOracle(),
        batch: { version: 1, tracker: { kind: "folder", folder: place }, tickets: [A, B] },
        scratch: scratch(),
      });
      await tickets.set(A, { as: "open" }, "");
      expect(await oracle.judge()).toMatchObject({ verdict: "not-done" });
      await Promise.all([tickets.set(A, { as: "done" }, ""), tickets.set(B, { as: "human-gated", step: 'say "a\\b"' }, "")]);
      expect(await oracle.judge()).toMatchObject({ verdict: "done", counts: { done: 1, gated: 1, open: 0 } });
    }
  });

  test("names at most 50 open tickets and counts all", async () => {
    const ids = Array.from({ length: 120 }, (_, n) => TicketId.parse(`M-${n}`));
    await seedEmbeddedTracker(
      file(),
      ids.map((id) => ({ id, title: id, body: "" })),
    );
    const oracle = createFrozenOracle({ bytes: await bundleOracle(), batch: { ...batch(), tickets: ids }, scratch: scratch() });
    expect(await oracle.judge()).toMatchObject({ counts: { done: 0, gated: 0, open: 120 }, open: ids.slice(0, 50) });
  });

  test("nothing that changes after its making reaches it: file, bytes, batch", async () => {
    const source = join(folder(), "oracle.cjs");
    writeFileSync(source, await bundleOracle());
    const bytes = await loadOracleBytes(source);
    const tickets = [A, B];
    const given = { ...batch(), tickets };
    const oracle = createFrozenOracle({ bytes, batch: given, scratch: scratch() });
    writeFileSync(source, saysDone());
    bytes.fill(0x20);
    tickets.length = 0;
    Object.assign(given, { tickets: [] });
    expect(await oracle.judge()).toMatchObject({ verdict: "not-done", counts: { open: 2 } });
    expect(oracle.sha).toBe(oracleSha(await bundleOracle()));
  });

  test("several judgements at once do not meet", async () => {
    const oracle = createFrozenOracle({ bytes: await bundleOracle(), batch: batch(), scratch: scratch() });
    const verdicts = await Promise.all(Array.from({ length: 4 }, () => oracle.judge()));
    expect(verdicts.map((v) => v.verdict)).toEqual(["not-done", "not-done", "not-done", "not-done"]);
  });
});

describe("an oracle that is not to be believed", () => {
  test("the planted evidence is believed where nothing is wrong with it, or these tests show nothing", async () => {
    expect(await planted(saysDone()).judge()).toMatchObject({ verdict: "done", counts: { done: 2, gated: 0, open: 0 } });
  });

  const line = (...values: readonly unknown[]) =>
    `console.log(${JSON.stringify(values.map((v) => JSON.stringify(v)).join("\n"))});`;
  const a = { id: "T-1", state: "done" };
  const b = { id: "T-2", state: "done" };
  const sum = { verdict: "done", done: 2, gated: 0, open: 0 };
  test.each([
    ["exits 0 without evidence", "process.exit(0)"],
    ["exits 0 at once, before its evidence", saysDone("process.exit(0);")],
    ["says done and nothing else", line(sum)],
    ["has evidence and no verdict", line(a, b)],
    ["leaves a ticket out", line(a, { ...sum, done: 1 })],
    ["leaves a ticket out and counts it", line(a, sum)],
    ["names one twice", line(a, a, sum)],
    ["names a third", line(a, b, { id: "T-3", state: "done" }, { ...sum, done: 3 })],
    ["names another instead", line(a, { id: "T-3", state: "done" }, sum)],
    ["says done over an open ticket", line(a, { id: "T-2", state: "open" }, { verdict: "done", done: 1, gated: 0, open: 1 })],
    ["exits 0 and says not done", line(a, { id: "T-2", state: "open" }, { verdict: "not-done", done: 1, gated: 0, open: 1 })],
    ["exits 0 over done tickets and says not done", line(a, b, { ...sum, verdict: "not-done" })],
    ["does not end its last line", saysDone().replace("console.log(", "process.stdout.write(' ' + ").replace(/'\);$/, " ');")],
    ["counts an open ticket as done", line(a, { id: "T-2", state: "open" }, sum)],
    ["knows a look-alike state", line(a, { id: "T-2", state: "Done" }, sum)],
    ["gates without a step", line(a, { id: "T-2", state: "human-gated" }, { ...sum, done: 1, gated: 1 })],
    ["gates with a blank step", line(a, { id: "T-2", state: "human-gated", step: " " }, { ...sum, done: 1, gated: 1 })],
    ["counts wrong", line(a, b, { ...sum, done: 1, gated: 1 })],
    ["says more than asked", line(a, b, { ...sum, sure: true })],
    ["goes on after its verdict", line(a, b, sum, sum)],
    ["prints rubbish between", saysDone('console.log("hello");')],
    ["stops in the middle of its last line", saysDone().replace("console.log(", "process.stdout.write(")],
    ["exits 1 with evidence for done", saysDone("process.exitCode = 1;")],
    ["exits 2 with evidence for done", saysDone("process.exitCode = 2;")],
    ["exits 3 with evidence for done", saysDone("process.exitCode = 3;")],
    ["is killed after its evidence", saysDone('setImmediate(() => process.kill(process.pid, "SIGKILL")); process.exitCode = 0;')],
    ["does not parse", "}{"],
    ["is empty", ""],
    ["prints without end", 'const s = "x".repeat(65536); const more = () => process.stdout.write(s, more); more();'],
  ])("%s: unjudged", async (what, source) => {
    const judgement = await planted(source).judge();
    expect(judgement).toMatchObject({ verdict: "unjudged", counts: { done: 0, gated: 0, open: 0 }, open: [] });
    expect(judgement.problem).toMatch(/\w/);
    if (what.startsWith("exits 3")) expect(judgement.problem).toContain("exit code 3");
    if (what.startsWith("is killed")) expect(judgement.problem).toContain("SIGKILL");
  });

  test("one that hangs, even against a polite end, is unjudged in bounded time", async () => {
    const oracle = planted(saysDone('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); process.exitCode = 0;'), 700);
    const judgement = await oracle.judge();
    expect(judgement).toMatchObject({ verdict: "unjudged", problem: expect.stringContaining("700 ms") as string });
    expect(judgement.durationMs).toBeLessThan(5_000);
    const busy = await planted("for (;;);", 700).judge();
    expect([busy.verdict, busy.durationMs < 5_000]).toEqual(["unjudged", true]);
  });

  test("one that is cancelled is unjudged", async () => {
    expect(await planted(saysDone()).judge(AbortSignal.abort())).toMatchObject({ verdict: "unjudged" });
    const late = await planted("setInterval(() => {}, 1000);").judge(AbortSignal.timeout(300));
    expect([late.verdict, late.durationMs < 10_000]).toEqual(["unjudged", true]);
  });

  test("one that is swapped after it was laid out is not run", async () => {
    const oracle = createFrozenOracle({ bytes: await bundleOracle(), batch: batch(), scratch: scratch() });
    const judgement = await withPatchedFs(
      "writeFile",
      (real) => async (path, data, options) => {
        await real(path, String(path).endsWith("oracle.cjs") ? saysDone() : data, options);
      },
      () => oracle.judge(),
    );
    expect(judgement).toMatchObject({ verdict: "unjudged", problem: expect.stringContaining("not what was frozen") as string });
  });

  test("its problem comes as one tame line", async () => {
    const judgement = await planted(
      'console.error("cannot judge: bad\\u001b[2J\\nthing\\u009b" + "x".repeat(5000)); process.exit(2);',
    ).judge();
    expect(judgement.problem).toMatch(/^bad \[2J thing x+$/);
    expect(judgement.problem?.length).toBeLessThanOrEqual(1_000);
  });

  test("a missing Node, a missing scratch folder: unjudged, never thrown", async () => {
    const bytes = await bundleOracle();
    const noNode = await createFrozenOracle({
      bytes,
      batch: batch(),
      scratch: scratch(),
      node: join(folder(), "nowhere"),
    }).judge();
    const noScratch = await createFrozenOracle({ bytes, batch: batch(), scratch: join(folder(), "nowhere") }).judge();
    expect([noNode.verdict, noScratch.verdict]).toEqual(["unjudged", "unjudged"]);
    expect(noNode.problem).toMatch(/could not be started/);
  });

  test("a path with a wildcard would let it read more, and is refused", async () => {
    const tracker = { kind: "embedded" as const, file: join(folder(), "*.json") };
    expect(() => createFrozenOracle({ bytes: new Uint8Array(1), batch: { ...batch(), tracker }, scratch: scratch() })).toThrow(
      "'*'",
    );
  });
});

describe("what the oracle's process can reach", () => {
  /** Runs `body`, which is to return a text, and gives that text back. */
  async function inside(body: string): Promise<string> {
    const source = `const fs = require("node:fs"), cp = require("node:child_process"), wt = require("node:worker_threads"), path = require("node:path");
const attempt = (act) => { try { return String(act()); } catch (e) { return e.code ?? e.message; } };
(async () => { ${body} })().then((text) => { console.error("cannot judge: " + text); process.exit(2); });`;
    return (await planted(source).judge()).problem ?? "";
  }

  test("an empty environment, whatever the engine's is", async () => {
    vi.stubEnv("NODE_OPTIONS", "--no-warnings");
    vi.stubEnv("A_TOKEN", "secret");
    expect(await inside("return JSON.stringify(process.env);")).toBe("{}");
  });

  test("a fresh private folder as its own", async () => {
    const [cwd = "", mode, names] = (
      await inside("return [process.cwd(), fs.statSync('.').mode & 0o777, fs.readdirSync('.')].join(' ');")
    ).split(" ");
    expect(cwd.startsWith(`${scratch()}/oracle-`)).toBe(true);
    expect([mode, names]).toEqual([String(0o700), "batch.json,oracle.cjs"]);
  });

  test("the tracker to read, and nothing else", async () => {
    const secret = join(folder(), "secret.txt");
    writeFileSync(secret, "secret");
    const read = (path: string) => inside(`return attempt(() => fs.readFileSync(${JSON.stringify(path)}, "utf8"));`);
    expect(await read(file())).toContain('"version":1');
    for (const path of [
      secret,
      "/etc/passwd",
      "/proc/self/environ",
      "/proc/self/fd/0",
      join(folder(), "x", "..", "secret.txt"),
    ]) {
      expect(await read(path)).toBe("ERR_ACCESS_DENIED");
    }
    expect(await inside(`return attempt(() => fs.readdirSync(${JSON.stringify(folder())}));`)).toBe("ERR_ACCESS_DENIED");
  });

  test("nothing to write, not even the tracker or its own folder", async () => {
    for (const path of [file(), join(folder(), "new"), "new", "batch.json", "/tmp/new"]) {
      expect(await inside(`return attempt(() => fs.writeFileSync(${JSON.stringify(path)}, "x"));`)).toBe("ERR_ACCESS_DENIED");
    }
    expect(await inside(`return attempt(() => fs.rmSync(${JSON.stringify(file())}));`)).toBe("ERR_ACCESS_DENIED");
    expect((await tracker().snapshot()).length).toBe(2);
  });

  test("no process, thread or native code to start", async () => {
    expect(await inside(`return attempt(() => cp.spawnSync("/bin/true").status);`)).toBe("ERR_ACCESS_DENIED");
    expect(await inside(`return attempt(() => cp.fork("oracle.cjs"));`)).toBe("ERR_ACCESS_DENIED");
    expect(await inside(`return attempt(() => new wt.Worker("1", { eval: true }));`)).toBe("ERR_ACCESS_DENIED");
    expect(await inside(`return attempt(() => process.dlopen({ exports: {} }, "/lib/x.node"));`)).toBe("ERR_DLOPEN_DISABLED");
  });
});

describe("loading the oracle", () => {
  test("what is missing or empty is refused", async () => {
    writeFileSync(join(folder(), "empty.mjs"), "");
    await expect(loadOracleBytes(join(folder(), "nowhere.mjs"))).rejects.toThrow(/ENOENT/);
    await expect(loadOracleBytes(join(folder(), "empty.mjs"))).rejects.toThrow(/empty/);
  });
});
