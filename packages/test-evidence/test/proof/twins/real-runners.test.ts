import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runReally } from "./run-sample.ts";
import { SAMPLES } from "./samples.ts";
import { twinned } from "./twinned.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loopdash-twins-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SEEDS = [1, 2, 3];

describe.each(SAMPLES)("$runner", ({ runner, path, text, others, copies }) => {
  test("with honest code, exactly the tests that must fail do so, and all others are as before", () => {
    const own = join(folder, runner.replace(/\W/g, "-"));
    const before = runReally(runner, own, { ...others, [path]: text });
    const isPassing = (name: string) => before.outcomes.get(name)?.every((outcome) => outcome === "passed") === true;
    for (const seed of SEEDS) {
      const file = twinned(runner, text, { seed, isPassing });
      expect(file?.twins).toHaveLength(copies);
      const after = runReally(runner, own, { [path]: file?.text ?? "" });
      const expected = new Map(before.outcomes);
      for (const { original, passes, fails } of file?.twins ?? []) {
        const outcomes = before.outcomes.get(original) ?? [];
        expected.set(passes, outcomes);
        expected.set(
          fails,
          outcomes.map(() => "failed"),
        );
      }
      expect(Object.fromEntries(after.outcomes)).toEqual(Object.fromEntries(expected));
      expect(after.exitCode).not.toBe(0);
    }
  });
});
