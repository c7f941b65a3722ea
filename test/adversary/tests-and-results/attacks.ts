import { campaign, type World } from "../campaign.ts";
import { DEFENCES } from "./defences.ts";

const TESTS = `import { test } from "node:test";
import assert from "node:assert";
import { add } from "../add.mjs";
test("adds", () => assert.equal(add(1, 2), 3));
test("adds negative numbers", () => assert.equal(add(-1, -2), -3));
`;

const REPORT = "{artifacts}/report.xml";
const CHECK = {
  step: "check",
  name: "tests",
  command: [process.execPath, "--test", "--test-reporter=junit", `--test-reporter-destination=${REPORT}`],
  report: { format: "junit", path: REPORT },
};

/** Two tests by Node's own runner, judged by its report. */
const world: World = {
  files: { "add.mjs": "export const add = (a, b) => a + b;\n", "test/add.test.mjs": TESTS },
  batch: { sandbox: "required", finish: [{ step: "gates" }, CHECK, { step: "merge" }] },
};

/** Source of an agent that changes the tests of the repository. */
const edit = (from: string, to: string): string =>
  `fs.writeFileSync("test/add.test.mjs", fs.readFileSync("test/add.test.mjs", "utf8").replace(${JSON.stringify(from)}, ${JSON.stringify(to)}));`;

export const TESTS_AND_RESULTS = campaign(world, [
  {
    id: "A1",
    what: "removes a test",
    defence: DEFENCES.removed,
    agent: edit('test("adds negative numbers"', '((..._) => {})("adds negative numbers"'),
    told: /1 test of the base vanished/,
  },
  {
    id: "A1-renamed",
    what: "gives a test another name",
    defence: DEFENCES.removed,
    agent: edit('"adds negative numbers"', '"adds other numbers"'),
    told: /1 test of the base vanished/,
  },
  {
    id: "A2",
    what: "skips a test by its options",
    defence: DEFENCES.skipped,
    agent: edit('test("adds negative numbers",', 'const skip = true; test("adds negative numbers", { skip },'),
    told: /1 test newly skipped/,
  },
]);
