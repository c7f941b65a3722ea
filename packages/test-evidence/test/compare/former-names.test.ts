import { describe, expect, test } from "vitest";
import { compareRuns } from "../../src/compare/compare.ts";

const ALLOW = { testsRemoved: [], testsSkipped: [], suppressions: false };
const run = (...ids: string[]) => ({ exitCode: 0, tests: ids.map((id) => ({ id, outcome: "passed" as const })) });
const found = (before: string[], now: string[], deleted: string[], added: string[]) => {
  const { findings, moved } = compareRuns(run(...before), run(...now), ALLOW, { files: { deleted, added } });
  return { kinds: findings.map(({ kind }) => kind), moved };
};

describe("tests of a renamed file", () => {
  test.each<[string, string[], string[], string, string]>([
    ["by its path", ["test/old.js > a"], ["test/new.js > a"], "test/old.js", "test/new.js"],
    [
      "twice by its path (node)",
      ["test/old.js > test/old.js"],
      ["test/x/new.js > test/x/new.js"],
      "test/old.js",
      "test/x/new.js",
    ],
    ["in another folder", ["test/old.js > b > a"], ["spec/x/new.js > b > a"], "test/old.js", "spec/x/new.js"],
    ["by its module", ["pytest > pkg.tests.old > a"], ["pytest > pkg.tests.new > a"], "pkg/tests/old.py", "pkg/tests/new.py"],
    ["by its module and a class", ["tests.old.Case > a"], ["tests.new.Case > a"], "tests/old.py", "tests/new.py"],
    ["from a folder of a monorepo", ["tests.old > a"], ["tests.new > a"], "lib/py/tests/old.py", "lib/py/tests/new.py"],
  ])("are the same tests: named %s", (_, before, now, deleted, added) => {
    expect(found([...before, "x"], [...now, "x"], [deleted], [added])).toEqual({ kinds: [], moved: { added: 0, removed: 0 } });
  });

  test.each<[string, string[], string[], string[]]>([
    ["no file was added", ["b.test.js > a"], ["a.test.js"], []],
    ["no file was deleted", ["b.test.js > a"], [], ["b.test.js"]],
    ["the added file is of another kind", ["b.test.ts > a"], ["a.test.js"], ["b.test.ts"]],
    ["a test of the file is not there", ["b.test.js > other"], ["a.test.js"], ["b.test.js"]],
    ["the new file is none of tests", ["suite/b.js > a"], ["a.test.js"], ["suite/b.js"]],
    ["another file than the added one has the test", ["c.test.js > a"], ["a.test.js"], ["b.test.js"]],
  ])("have vanished where %s", (_, now, deleted, added) => {
    expect(found(["a.test.js > a", "x"], [...now, "x"], deleted, added).kinds).toContain("removed");
  });

  test("cannot be stood in for by two others, or by one that the base has", () => {
    expect(found(["a.test.js > a"], ["b.test.js > a", "c.test.js > a"], ["a.test.js"], ["b.test.js", "c.test.js"]).kinds).toEqual(
      ["duplicated"],
    );
    expect(found(["a.test.js > a", "b.test.js > a"], ["b.test.js > a"], ["a.test.js"], ["b.test.js"]).kinds).toContain("removed");
  });
});
