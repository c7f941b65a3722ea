import { expect, test } from "vitest";
import { pytest } from "../../src/domain/test-canary/pytest.ts";
import { type Choice, chooseCommitted } from "../../src/loop/steps/plant-canary.ts";
import type { Repo } from "../../src/ports/vcs.ts";
import { seeded } from "../domain/test-canary/planting.ts";

const ADDED = Array.from({ length: 1_200 }, (_, i) => `a/test_${i}.py`);

/** A repository in which added tests load what was changed, and the one of the base does not name it. */
function repoOf(texts: Readonly<Record<string, string>>): Repo {
  const readFiles: Repo["readFiles"] = ({ paths }) =>
    Promise.resolve(new Map(paths.map((path) => [path, texts[path] ?? "import core\n"])));
  return { readFiles } as Repo;
}

test("tests of the base get planted ones before any that the change adds, however many these are", async () => {
  const old = ["tests/test_calc.py", "tests/test_other.py"];
  const choice: Choice = {
    found: { runner: pytest, words: ["pytest"] },
    committed: [...ADDED, ...old],
    changed: ["core.py", ...ADDED],
    added: new Set(ADDED),
    excused: new Set(),
    first: [],
    sowing: { draw: seeded(), fails: "many" },
  };
  const texts = { "tests/test_calc.py": "from calc import add\n", "tests/test_other.py": "import core\n" };
  const places = await chooseCommitted(repoOf(texts), "0".repeat(40), choice);
  expect(places?.hosts.slice(0, 2)).toEqual(["tests/test_other.py", "tests/test_calc.py"]);
  expect(places?.hosts).toHaveLength(40);
});
