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
    ["twice by its path (node)", ["t/old.js > t/old.js"], ["t/x/new.js > t/x/new.js"], "t/old.js", "t/x/new.js"],
    ["in another folder", ["test/old.js > b > a"], ["spec/x/new.js > b > a"], "test/old.js", "spec/x/new.js"],
    ["by its module", ["pytest > pkg.tests.old > a"], ["pytest > pkg.tests.new > a"], "pkg/tests/old.py", "pkg/tests/new.py"],
    ["by its module and a class", ["tests.old.Case > a"], ["tests.new.Case > a"], "tests/old.py", "tests/new.py"],
    ["from a folder of a monorepo", ["tests.old > a"], ["tests.new > a"], "lib/py/tests/old.py", "lib/py/tests/new.py"],
  ])("are the same tests: named %s", (_, before, now, deleted, added) => {
    expect(found([...before, "x"], [...now, "x"], [deleted], [added])).toEqual({ kinds: [], moved: { added: 0, removed: 0 } });
  });

  test.each<[string, string[], string[], string[]]>([
    ["no file was added", ["b.js > a"], ["a.js"], []],
    ["no file was deleted", ["b.js > a"], [], ["b.js"]],
    ["the added file is of another kind", ["b.ts > a"], ["a.js"], ["b.ts"]],
    ["a test of the file is not there", ["b.js > other"], ["a.js"], ["b.js"]],
    ["another file than the added one has the test", ["c.js > a"], ["a.js"], ["b.js"]],
  ])("have vanished where %s", (_, now, deleted, added) => {
    expect(found(["a.js > a", "x"], [...now, "x"], deleted, added).kinds).toContain("removed");
  });

  test("cannot be stood in for by two others, or by one that the base has", () => {
    expect(found(["a.js > a"], ["b.js > a", "c.js > a"], ["a.js"], ["b.js", "c.js"]).kinds).toEqual(["duplicated"]);
    expect(found(["a.js > a", "b.js > a"], ["b.js > a"], ["a.js"], ["b.js"]).kinds).toContain("removed");
  });
});
