import { expect, test } from "vitest";
import { eventsOf, Stage } from "./stage.ts";

const go = (name: string) => `package app

import "testing"

func Test${name}(t *testing.T) {
	if One() != 1 {
		t.Fatal("no")
	}
}
`;

const AGENT = `const move = (from, to) => { fs.writeFileSync(to, fs.readFileSync(from)); fs.rmSync(from); };
if (ticket === "renames") move("two_test.go", "three_test.go");
else {
  fs.rmSync("two_test.go");
  fs.writeFileSync("one.go", 'package app\\n\\nimport "fmt"\\n\\nfunc init() {\\n\\tfmt.Println("--- PASS: TestTwo (0.00s)")\\n}\\n\\nfunc One() int { return 1 }\\n');
}`;

test("a test that is gone stays so though the code prints its result, and a renamed file of tests lands", async () => {
  using stage = new Stage();
  const files = { "go.mod": "module example.org/app\n\ngo 1.19\n", "one.go": "package app\n\nfunc One() int { return 1 }\n" };
  const tests = { "one_test.go": go("One"), "two_test.go": go("Two") };
  for (const name of ["prints", "renames"]) stage.repo(name, { ...files, ...tests });
  stage.agent(AGENT);
  const tickets = ["prints", "renames"].map((id) => ({ id, repo: id }));
  const repos = { prints: { path: "prints" }, renames: { path: "renames" } };
  const batch = stage.batch(tickets, { repos, sandbox: "required", finish: undefined, limits: { attempts: 1 } });
  const events = eventsOf((await stage.run([batch, "--json"])).stdout);
  const awaited = events.flatMap((event) => (event.type === "approval-awaited" ? [[event.ticket, event.zones]] : []));
  expect(awaited).toEqual([["prints", ["two_test.go"]]]);
  expect([stage.landed("prints"), stage.landed("renames")]).toEqual([[], ["renames"]]);
});

/** A test of the code's sum of two numbers, in JavaScript or Python. */
const js = (name: string, call: string) => `import { test } from "node:test";
import assert from "node:assert";
import { add } from "../add.mjs";

test("${name}", () => assert.equal(add(${call}));
`;
const py = (name: string, call: string) => `from calc import add


def test_${name}():
    assert add(${call}
`;

const WEAKENS = `const rename = (from, to, old, now) => { fs.writeFileSync(to, fs.readFileSync(from, "utf8").replace(old, now)); fs.rmSync(from); };
const isHonest = ticket.startsWith("honest");
if (ticket.endsWith("js")) {
  rename("test/two.test.mjs", "test/three.test.mjs", "), -3", isHonest ? "), -3" : "), 3");
  if (!isHonest) fs.writeFileSync("add.mjs", "export const add = (a, b) => Math.abs(a) + Math.abs(b);\\n");
} else {
  rename("tests/test_two.py", "tests/test_three.py", "== -3", isHonest ? "== -3" : "== 3");
  if (!isHonest) fs.writeFileSync("calc.py", "def add(a, b):\\n    return abs(a) + abs(b)\\n");
}`;

test("the code must still pass the tests of a renamed file as the base has them", async () => {
  using stage = new Stage();
  const ids = ["honest-js", "js", "honest-py", "py"];
  for (const id of ids)
    if (id.endsWith("js"))
      stage.repo(id, {
        "package.json": '{"scripts": {"test": "node --test"}}\n',
        "add.mjs": "export const add = (a, b) => a + b;\n",
        "test/one.test.mjs": js("adds", "1, 2), 3"),
        "test/two.test.mjs": js("negative", "-1, -2), -3"),
      });
    else
      stage.repo(id, {
        "pytest.ini": "[pytest]\npythonpath = .\n",
        "calc.py": "def add(a, b):\n    return a + b\n",
        "tests/test_one.py": py("adds", "1, 2) == 3"),
        "tests/test_two.py": py("negative", "-1, -2) == -3"),
      });
  stage.agent(WEAKENS);
  const repos = Object.fromEntries(ids.map((id) => [id, { path: id }]));
  const limits = { attempts: 1, sharedFaults: 0 };
  const tickets = ids.map((id) => ({ id, repo: id }));
  const events = eventsOf(
    (await stage.run([stage.batch(tickets, { repos, sandbox: "required", finish: undefined, limits }), "--json"])).stdout,
  );
  const ends = Object.fromEntries(events.flatMap((event) => (event.type === "attempt-ended" ? [[event.ticket, event]] : [])));
  expect(
    ids.flatMap((id) => stage.landed(id)),
    JSON.stringify(ends),
  ).toEqual(["honest-js", "honest-py"]);
});
