import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createTestResultsReader } from "../../../src/adapters/test-results/results-reader.ts";
import { FOUND_REPORT } from "../../../src/domain/batch/step-spec.ts";
import { awaitReport } from "../../../src/loop/programs/await-report.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const program = resolve(import.meta.dirname, "../../../src/cli/main.ts");

test("tests that runners name on either stream are found, each stream by itself", async () => {
  const [checkout, artifacts] = ["checkout", "artifacts"].map((name) => join(folder(), name)) as [string, string];
  for (const each of [checkout, artifacts]) mkdirSync(each);
  const folders = { checkout, artifacts, written: { checkout, artifacts }, roots: [checkout] };
  const report = await awaitReport(createTestResultsReader({ program, args: ["__results"] }), FOUND_REPORT, folders);
  report?.onLine?.("a.test.ts:", "stderr");
  report?.onLine?.("test of_cargo ... ok", "stdout");
  report?.onLine?.("b.test.ts:", "stdout");
  report?.onLine?.("(fail) of bun", "stderr");
  const tests = [
    { id: "of_cargo", outcome: "passed" },
    { id: "a.test.ts > of bun", outcome: "failed" },
  ];
  expect(await report?.read()).toEqual({ ok: true, tests });
});
