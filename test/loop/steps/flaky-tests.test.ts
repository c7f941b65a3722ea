import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resultsKey } from "../../../src/loop/steps/base-results.ts";
import { settleFlakyTests } from "../../../src/loop/steps/flaky-tests.ts";
import { cleanUp, tempDir } from "../../adapters/vcs/real-repo.ts";
import { selecting, testFile } from "./selected-stage.ts";

cleanUp();

const FAILS = "assert.equal(1, 2);";

/** A base with a test `x` whose outcomes are those of `turns`, one after another, and a test `b` that passes. */
async function withFlaky(turns: string) {
  const [log, file] = [join(tempDir(), "log"), join(tempDir(), "turns")];
  writeFileSync(file, turns);
  writeFileSync(log, "");
  const at = JSON.stringify(file);
  const x = `const turns = fs.readFileSync(${at}, "utf8"); fs.writeFileSync(${at}, turns.slice(1)); assert.equal(turns[0], "p");`;
  const files = (bodies: Record<string, string>) => ({ "test/one.test.mjs": testFile(log, { x, b: "", ...bodies }) });
  const on = await selecting(files({}));
  const base = await on.baseRun();
  const settle = async (bodies: Record<string, string> = {}, over: Partial<typeof on.ctx.batch> = {}) => {
    const candidate = on.candidate({ ...files(bodies), "other.txt": "x" });
    const run = await on.runOn(candidate.commit);
    on.told.length = 0;
    const ctx = { ...on.ctx, batch: { ...on.ctx.batch, ...over } };
    return settleFlakyTests(ctx, on.scope, on.repo, { step: on.step, candidate, base, run });
  };
  const parts = () => on.told.flatMap((fact) => (fact.type === "step-part-started" ? [fact.part.replace(": running", "")] : []));
  const forgetBase = () => on.ctx.manifests.keep(resultsKey(on.ctx, on.scope, on.repo, { step: on.step, commit: on.base }), base);
  return { ...on, forgetBase, settle, parts, left: () => readFileSync(file, "utf8") };
}

const AGAIN = "once more, because flaky tests alone failed";
const ON_BASE = "what failed, on the base";

test("a failure on the candidate that the base shows to be one of chance is decided by one more run", async () => {
  // The base; the candidate; the base once more; the candidate once more.
  const on = await withFlaky("pffp");
  using _ = on.stage;
  expect(await on.settle()).toEqual({
    run: {
      exitCode: 0,
      tests: [
        { id: "x", outcome: "passed" },
        { id: "b", outcome: "passed" },
      ],
    },
    excused: ["x"],
  });
  expect(on.parts()).toEqual([ON_BASE, AGAIN]);
});

test("what is known to be flaky is not measured again, and counts if it fails twice", async () => {
  const on = await withFlaky("pffpff");
  using _ = on.stage;
  await on.settle();
  const settled = await on.settle();
  expect(on.parts()).toEqual([AGAIN]);
  expect(settled?.excused).toEqual([]);
  expect(settled?.run.tests[0]).toEqual({ id: "x", outcome: "failed" });
  expect(on.left()).toBe("");
});

test("a test that the base does not show to be flaky is never run again on the candidate (A19)", async () => {
  const on = await withFlaky("pfpp");
  using _ = on.stage;
  expect(await on.settle()).toBeUndefined();
  expect(on.parts()).toEqual([ON_BASE]);
  expect(on.left()).toBe("p");
});

test("what the code of a landed change said of itself does not show that a test is flaky: the base is run twice", async () => {
  const on = await withFlaky("pffpp");
  using _ = on.stage;
  await on.forgetBase();
  expect((await on.settle())?.excused).toEqual(["x"]);
  expect(on.parts()).toEqual([ON_BASE, ON_BASE, AGAIN]);
});

test.for([
  ["the batch says so", {}, { flaky: "count" }],
  ["a test that the base does not have fails, too", { own: FAILS }, {}],
] as const)("a flaky test counts if %s: nothing is run again", async ([, bodies, over]) => {
  const on = await withFlaky("pfp");
  using _ = on.stage;
  expect(await on.settle(bodies, over)).toBeUndefined();
  expect(on.parts()).toEqual([]);
  expect(on.left()).toBe("p");
});
