import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { vecAt, vecWith } from "../../../src/domain/values/vec.ts";
import { failSoon } from "../../../src/loop/steps/fail-soon.ts";
import { cleanUp, tempDir } from "../../adapters/vcs/real-repo.ts";
import { NODE_CHECK, selecting, testFile } from "./selected-stage.ts";

cleanUp();

const FAILS = "assert.equal(1, 2);";

/** A ticket whose last attempt failed by the test `a`, which passes on the base; `b` and `c` pass. */
async function failedOnce({ a = "", c = "", step = NODE_CHECK }: { a?: string; c?: string; step?: typeof NODE_CHECK } = {}) {
  const log = join(tempDir(), "log");
  const files = (bodies: Record<string, string>) => ({ "test/one.test.mjs": testFile(log, { a, b: "", c, ...bodies }) });
  const on = await selecting(files({}), step, files({ a: FAILS }));
  on.stage.start();
  await on.stage.ended();
  expect(on.stage.of("attempt-ended")[0]?.evidence?.tests).toContain("a");
  const base = await on.baseRun();
  writeFileSync(log, "");
  const soon = (bodies: Record<string, string>, leastMs = 0) => {
    const candidate = on.candidate({ ...files(bodies), "other.txt": "x" });
    return failSoon(on.ctx, on.scope, on.repo, { step: on.step, candidate, base, leastMs });
  };
  return { ...on, soon, ran: () => readFileSync(log, "utf8").trim().split(" ") };
}

test("what failed in the last attempt fails again, and nothing else runs; the base shows that it can pass alone", async () => {
  const on = await failedOnce();
  using _ = on.stage;
  expect(await on.soon({ a: FAILS })).toMatchObject({
    finding: {
      says: expect.stringMatching(/^1 test failed as in the last attempt \(run alone, in \d/),
      ids: ["a"],
    },
  });
  expect(on.ran()).toEqual(["a", "a"]);
  expect(on.told.filter(({ type }) => type === "step-part-started")).toMatchObject([
    { part: "what failed in the last attempt: running" },
    { part: "the same on the base: running" },
  ]);
});

test("the whole suite decides if what failed passes now, whatever else is wrong", async () => {
  const on = await failedOnce();
  using _ = on.stage;
  expect(await on.soon({ b: FAILS })).toBeUndefined();
  expect(on.ran()).toEqual(["a"]);
});

test("the whole suite decides about a test that alone fails on the base, too", async () => {
  // It needs what an earlier test of the file has left.
  const on = await failedOnce({ a: "globalThis.left = 1;", c: "assert.ok(globalThis.left);" });
  using _ = on.stage;
  const evidence = { step: "check", name: "tests", summary: "", detail: "", tests: ["c"] } as const;
  const state = on.ctx.state();
  const tickets = vecWith(state.tickets, 0, { ...vecAt(state.tickets, 0), evidence: [evidence] });
  const ctx = { ...on.ctx, state: () => ({ ...state, tickets }) };
  const candidate = on.candidate({ "other.txt": "x" });
  const options = { step: on.step, candidate, base: await on.baseRun(), leastMs: 0 };
  expect(await failSoon(ctx, on.scope, on.repo, options)).toBeUndefined();
  expect(on.ran()).toEqual(["c", "c"]);
});

test("tests that load what was changed run first, whole files of them, if they are few", async () => {
  const log = join(tempDir(), "log");
  const code = (name: string, value: number) => ({ [`src/${name}.mjs`]: `export const value = ${value};\n` });
  const tests = (name: string) => ({
    [`test/${name}.test.mjs`]: `import { value } from "../src/${name}.mjs";\n${testFile(log, { [name]: "assert.equal(value, 1);", [`${name}${name}`]: "" })}`,
  });
  const names = ["a", "b", "c", "d"];
  const all = Object.assign({}, ...names.map((name) => ({ ...code(name, 1), ...tests(name) })));
  const on = await selecting(all, NODE_CHECK, {});
  using _ = on.stage;
  on.stage.start();
  await on.stage.ended();
  const base = await on.baseRun();
  const soon = (changes: Record<string, string>) => {
    writeFileSync(log, "");
    return failSoon(on.ctx, on.scope, on.repo, { step: on.step, candidate: on.candidate(changes), base, leastMs: 0 });
  };
  const ran = () => readFileSync(log, "utf8").trim().split(" ");
  expect(await soon(code("b", 2))).toMatchObject({
    finding: { says: expect.stringMatching(/^1 test failed in files that load what was changed \(run alone, in \d/), ids: ["b"] },
  });
  expect(ran()).toEqual(["b", "bb", "b", "bb"]);
  expect(await soon({ "src/b.mjs": "export const value = 2 - 1;\n" })).toBeUndefined();
  expect(ran()).toEqual(["b", "bb"]);
  // Half of all test files.
  expect(await soon({ ...code("b", 2), ...code("c", 2) })).toBeUndefined();
  expect(ran()).toEqual([""]);
});

test("a short check runs as a whole at once", async () => {
  const on = await failedOnce();
  using _ = on.stage;
  expect(await on.soon({ a: FAILS }, 10_000_000)).toBeUndefined();
  expect(on.told).toEqual([]);
});
