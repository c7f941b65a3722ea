import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { ROOT } from "../../../scripts/build/bundle.ts";
import { holedBuild, removeHoledBuilds } from "../holed-build.ts";
import type { Rule } from "./rule.ts";
import { RULES } from "./rules.ts";
import type { HoledResult } from "./run-holed.child.ts";

const CHILD = join(import.meta.dirname, "run-holed.child.ts");
/** A whole process of the test runner, on a machine that others use. */
const TIMEOUT_MS = 300_000;

/** The tests that a rule names, run without what enforces the rule. */
async function withoutDefence({ file, test: name, holes, isBuilt }: Rule): Promise<readonly HoledResult[]> {
  const { PATH = "", HOME = "", TMPDIR = "/tmp" } = process.env;
  const program = isBuilt ? { LOOPDASH_TEST_PROGRAM: await holedBuild(holes) } : {};
  const args = [CHILD, file, name, JSON.stringify(isBuilt ? [] : holes)];
  const env = { PATH, HOME, TMPDIR, LANG: "C.UTF-8", ...program };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as readonly HoledResult[];
}

afterAll(removeHoledBuilds);

describe("without what enforces it, its test fails:", () => {
  test.each(RULES)("$rule", { timeout: TIMEOUT_MS }, async (rule) => {
    const results = await withoutDefence(rule);
    expect(results.map(({ name }) => name)).toEqual([expect.stringContaining(rule.test)]);
    expect(results[0]?.state).toBe("failed");
    expect(results[0]?.why, "it fails by what it expects").not.toMatch(/is not defined|is not a function|Unexpected|SyntaxError/);
  });
});

test("every hole is a place of the source, and every test is there", () => {
  const bad = RULES.filter(({ file, test: name, holes }) => {
    const isStale = holes.some(({ file: path, from }) => {
      return !existsSync(join(ROOT, path)) || readFileSync(join(ROOT, path), "utf8").split(from).length !== 2;
    });
    return isStale || !readFileSync(join(ROOT, file), "utf8").includes(name);
  });
  expect(bad.map(({ rule }) => rule)).toEqual([]);
});
