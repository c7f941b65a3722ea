import { describe, expect, test } from "vitest";
import { createTextScans } from "../../../src/adapters/text-scans/text-scans.ts";
import { PROGRAM } from "../../e2e/stage.ts";

const scans = createTextScans({ program: PROGRAM, args: ["__scan"] });
const hasty = createTextScans({ program: PROGRAM, args: ["__scan"], timeoutMs: 5 });

/** A diff that adds so many lines to a file of tests. */
function adding(line: string, count: number): Uint8Array {
  const head = `diff --git a/a.test.ts b/a.test.ts\n--- /dev/null\n+++ b/a.test.ts\n@@ -0,0 +1,${count} @@\n`;
  return new TextEncoder().encode(head + `+${line}\n`.repeat(count));
}

const HOSTILE = `"${"it.skip ".repeat(110)}"`;
const EMPTY = { testsRemoved: [], testsSkipped: [], suppressions: false };

/** Turns of the event loop while something is under way. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let over = false;
  void work.finally(() => {
    over = true;
  });
  while (!over) {
    await new Promise((next) => setImmediate(next));
    turns += 1;
  }
  return turns;
}

describe("what a change adds to make tools look away", () => {
  test("is found in a short diff and in a long one alike", async () => {
    const one = { path: "a.test.ts", line: 1, what: "a test", text: "it.skip()" };
    expect(await scans.suppressions(adding("it.skip()", 1))).toEqual({ ok: true, value: { count: 1, first: [one] } });
    const many = await scans.suppressions(adding("it.skip()", 20_000));
    expect(many).toMatchObject({ ok: true, value: { count: 20_000 } });
    expect(many.ok && many.value.first.length).toBe(100);
  });

  test("is looked for off the event loop", async () => {
    const work = scans.suppressions(adding(HOSTILE, 10_000));
    expect(await turnsDuring(work)).toBeGreaterThan(1_000);
    expect(await work).toMatchObject({ ok: true });
  });

  test("is not found absent where the search takes too long", async () => {
    expect(await hasty.suppressions(adding(HOSTILE, 10_000))).toEqual({ ok: false, problem: "took longer than 0.005 s" });
  });
});

describe("runs of tests", () => {
  const tests = Array.from({ length: 20_000 }, (_, i) => ({ id: `${i} ${"a".repeat(50)}`, outcome: "failed" as const }));
  const run = { exitCode: 1, tests };
  const fixes = { patterns: Array.from({ length: 20 }, (_, i) => `*a*a*b${i}*`), elsewhere: [], isLast: true };

  test("are compared off the event loop if they are long, and their lists are bounded", async () => {
    const work = scans.compare({
      base: run,
      candidate: { exitCode: 1, tests: tests.slice(1) },
      allow: EMPTY,
      fixes,
      files: { deleted: [], added: [] },
    });
    expect(await turnsDuring(work)).toBeGreaterThan(100);
    const compared = await work;
    expect(compared).toMatchObject({ ok: true, value: { failingOnBase: { count: 20_000 } } });
    if (!compared.ok) return;
    expect(compared.value.failingOnBase.first.length).toBe(10_000);
    expect(compared.value.comparison.findings.map(({ kind }) => kind)).toContain("removed");
  });

  test("that cannot be compared in time are no match", async () => {
    expect((await hasty.compare({ base: run, candidate: run, allow: EMPTY, fixes, files: { deleted: [], added: [] } })).ok).toBe(
      false,
    );
  });
});

test("a change is sorted off the event loop if its texts are long", async () => {
  const text = 'import "./more.mjs";\n'.repeat(100_000);
  const base = { files: ["a.mjs", "a.test.mjs"], texts: new Map([["a.test.mjs", 'import "./a.mjs";']]) };
  const changed = [{ path: "a.mjs", how: "modified", mode: "file", text }] as const;
  const work = scans.classify({ command: ["node", "--test"], base, changed, isRed: false });
  expect(await turnsDuring(work)).toBeGreaterThan(20);
  expect(await work).toMatchObject({ ok: true, value: { code: ["a.mjs"], runners: [{ name: "node:test" }] } });
});
