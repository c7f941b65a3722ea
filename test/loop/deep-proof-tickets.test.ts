import { describe, expect, test } from "vitest";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { ticketOf } from "../domain/simulate.ts";
import { type Files, put } from "./evidence-stage.ts";
import { Stage } from "./stage.ts";

const PYTEST = {
  step: "check",
  name: "tests",
  command: ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml={artifacts}/r.xml", "tests"],
  report: { format: "junit", path: "{artifacts}/r.xml" },
} satisfies StepSpec;

const TAP = {
  step: "check",
  name: "tests",
  command: [process.execPath, "--test", "--test-isolation=none", "--test-reporter=tap"],
  report: { format: "tap", path: "-" },
} satisfies StepSpec;

const PY: Files = {
  "calc.py": "def add(a, b):\n    return a + b\n",
  "tests/test_calc.py":
    "from calc import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n\n\ndef test_adds_negative():\n    assert add(-1, -2) == -3\n",
  "tests/test_more.py": "from calc import add\n\n\ndef test_adds_zero():\n    assert add(0, 0) == 0\n",
};

const JS: Files = {
  "add.mjs": "export const add = (a, b) => a + b;\n",
  "test/add.test.mjs": `import { test } from "node:test";
import assert from "node:assert";
import { add } from "../add.mjs";

test("adds", () => assert.equal(add(1, 2), 3));
test("adds negative numbers", () => assert.equal(add(-1, -2), -3));
`,
};

const TWO = `import { test } from "node:test";
import assert from "node:assert";
import { two } from "../two.mjs";

test("two", () => assert.equal(two(), 2));
`;

const FIXTURE = "import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n";
const WITH_FIXTURE = "from calc import add\n\n\ndef test_three(three):\n    assert add(1, 2) == three\n";
const MENDS = "import calc\n\ncalc.add = lambda a, b: a + b\n";
const WRONG = { "calc.py": "def add(a, b):\n    return abs(a) + abs(b)\n" };
const MAY_EDIT = { testsRemoved: [], testsSkipped: [], suppressions: false, judge: ["test/two.test.mjs"] };
const MAY = { testsRemoved: [], testsSkipped: [], suppressions: false, configuration: true };

interface Queue {
  readonly base: Files;
  readonly check: StepSpec;
  /** What each ticket does; each waits for the one before. */
  readonly changes: readonly Files[];
  readonly allow?: Readonly<Record<number, Ticket["allow"]>>;
  /** Looks at each event. */
  readonly onEvent?: (stage: Stage, event: RunEvent) => void;
}

const idOf = (n: number) => TicketId.parse(`T-${n + 1}`);

async function opened({ base, check, changes, allow = {} }: Queue): Promise<Stage> {
  const tickets = changes.map((_, n) => {
    const allowed = allow[n];
    const dependsOn = n === 0 ? [] : [idOf(n - 1)];
    return ticketOf(idOf(n), { dependsOn, finish: [check, { step: "merge" }], ...(allowed && { allow: allowed }) });
  });
  const stage = await Stage.open({
    tickets,
    limits: { attempts: 1, workers: 1 },
    proof: "each",
    work: (task) => void put(task.worktree, changes[tickets.findIndex(({ id }) => id === task.ticket)] ?? {}),
  });
  put(stage.user, base);
  stage.git("add", "-A");
  stage.git("commit", "-q", "-m", "base");
  return stage;
}

/** What became of each ticket: `done`, or why it failed. */
function outcomes(stage: Stage, { changes }: Queue): readonly string[] {
  return changes.map((_, n) => {
    const end = stage.of("attempt-ended").findLast(({ ticket }) => ticket === idOf(n));
    const awaited = stage.of("approval-awaited").findLast(({ ticket }) => ticket === idOf(n))?.zones.join(", ");
    const why = awaited === undefined ? `${end?.evidence?.summary}\n${end?.evidence?.detail}` : `awaits approval of ${awaited}`;
    return stage.ticket(idOf(n)).phase === "done" ? "done" : why;
  });
}

async function told(queue: Queue): Promise<readonly string[]> {
  using stage = await opened(queue);
  stage.start();
  await stage.ended();
  return outcomes(stage, queue);
}

describe("honest tickets in a row land", () => {
  test.each<[string, Omit<Queue, "check"> & { check?: StepSpec }]>([
    [
      "the first changes behaviour with its test, the second does so again, the third needs both",
      {
        base: { ...JS, "two.mjs": "export const two = () => 2;\n", "test/two.test.mjs": TWO },
        allow: { 0: MAY_EDIT, 1: MAY_EDIT },
        changes: [
          { "two.mjs": "export const two = () => 20;\n", "test/two.test.mjs": TWO.replace("), 2)", "), 20)") },
          { "two.mjs": "export const two = () => 200;\n", "test/two.test.mjs": TWO.replace("), 2)", "), 200)") },
          { "add.mjs": 'import { two } from "./two.mjs";\nexport const add = (a, b) => a + b + two() - 200;\n' },
        ],
        check: TAP,
      },
    ],
    [
      "the second uses the fixture of the first in tests of its own",
      {
        base: PY,
        changes: [
          { "tests/conftest.py": FIXTURE, "tests/test_three.py": WITH_FIXTURE },
          { "tests/test_again.py": WITH_FIXTURE, "calc.py": `${PY["calc.py"]}\n\ndef twice(a):\n    return add(a, a)\n` },
        ],
      },
    ],
    [
      "the second uses it in a test of the base",
      {
        base: PY,
        changes: [
          { "tests/conftest.py": FIXTURE },
          { "tests/test_calc.py": `${PY["tests/test_calc.py"]}\n\ndef test_three(three):\n    assert add(1, 2) == three\n` },
          { "calc.py": "def add(a, b):\n    return b + a\n" },
        ],
      },
    ],
    [
      "the second breaks and mends tests that the first has added and changed",
      {
        base: PY,
        changes: [
          { "tests/test_three.py": "from calc import add\n\n\ndef test_three():\n    assert add(1, 2) == 3\n" },
          {
            "calc.py": "def plus(a, b):\n    return a + b\n\n\nadd = plus\n",
            "tests/test_three.py": "from calc import plus\n\n\ndef test_three():\n    assert plus(1, 2) == 3\n",
          },
        ],
      },
    ],
    [
      "the first may change the configuration, and all others need it",
      {
        base: PY,
        allow: { 0: MAY },
        changes: [
          { "pytest.ini": "[pytest]\npythonpath = code\n", "calc.py": null, "code/calc.py": PY["calc.py"] ?? "" },
          { "code/calc.py": "def add(a, b):\n    return b + a\n" },
          { "tests/test_third.py": "from calc import add\n\n\ndef test_third():\n    assert add(1, 1) == 2\n" },
        ],
      },
    ],
    [
      "the second may change the configuration, behind one that may not",
      {
        base: PY,
        allow: { 1: MAY },
        changes: [
          { "tests/conftest.py": FIXTURE, "tests/test_three.py": WITH_FIXTURE },
          { "pytest.ini": "[pytest]\npythonpath = code\n", "calc.py": null, "code/calc.py": PY["calc.py"] ?? "" },
          { "code/calc.py": "def add(a, b):\n    return b + a\n" },
        ],
      },
    ],
    [
      "tests whose names are made while they run",
      {
        base: JS,
        check: TAP,
        changes: [
          {
            "test/more.test.mjs": `import { test } from "node:test";
import assert from "node:assert";
import { add } from "../add.mjs";
for (const n of [1, 2]) test(\`doubles \${n}\`, () => assert.equal(add(n, n), 2 * n));
`,
          },
          {
            "add.mjs": "export const add = (a, b) => b + a;\n",
            "test/last.test.mjs": 'import { test } from "node:test";\ntest("last", () => {});\n',
          },
        ],
      },
    ],
    [
      "the base has no tests",
      {
        base: { "calc.py": PY["calc.py"] ?? "", "tests/.gitkeep": "" },
        changes: [
          { "tests/conftest.py": FIXTURE, "tests/test_three.py": WITH_FIXTURE },
          { "calc.py": "def add(a, b):\n    return b + a\n", "tests/test_again.py": WITH_FIXTURE },
        ],
      },
    ],
  ])("%s", async (_, { check = PYTEST, ...queue }) => {
    expect(await told({ ...queue, check })).toEqual(queue.changes.map(() => "done"));
  });

  test("somebody else changes how tests are run in between", async () => {
    const queue: Queue = {
      base: PY,
      check: PYTEST,
      changes: [{ "tests/conftest.py": FIXTURE }, { "code/calc.py": "def add(a, b):\n    return b + a\n" }],
    };
    using stage = await opened(queue);
    await stage.crashAt((event) => event.type === "attempt-ended" && event.ticket === idOf(0));
    stage.git("reset", "-q", "--hard");
    stage.git("mv", "-k", "calc.py", "code.txt");
    put(stage.user, { "pytest.ini": "[pytest]\npythonpath = code\n", "code.txt": null, "code/calc.py": PY["calc.py"] ?? "" });
    stage.git("add", "-A");
    stage.git("commit", "-q", "-m", "by hand");
    await stage.crashAndReopen();
    await stage.resume();
    await stage.ended();
    expect(outcomes(stage, queue)).toEqual(["done", "done"]);
  });
});

describe("what an earlier ticket did to tests does not count for a later one", () => {
  const queue: Queue = { base: PY, check: PYTEST, changes: [{ "tests/conftest.py": MENDS }, WRONG] };

  test("it waits for an approval by name", async () => {
    const [first, second] = await told(queue);
    expect(first).toBe("done");
    expect(second).toBe("awaits approval of tests/conftest.py");
  });

  test.each(["kept", "lose"] as const)("a second engine knows the first base (%s)", async (how) => {
    using stage = await opened(queue);
    await stage.crashAt((event) => event.type === "attempt-ended" && event.ticket === idOf(0));
    await stage.crashAndReopen(undefined, how === "lose" ? "lose" : undefined);
    await stage.resume();
    await stage.ended();
    expect(outcomes(stage, queue)).toEqual(["done", "awaits approval of tests/conftest.py"]);
  });

  test("if it was allowed to, that is the person's word", async () => {
    expect(await told({ ...queue, allow: { 0: MAY } })).toEqual(["done", "done"]);
  });
});
