import { expect, test } from "vitest";
import { Stage } from "./stage.ts";

const TEST = `import { test } from "node:test";
import assert from "node:assert";
import { add } from "../add.mjs";
test("adds", () => assert.equal(add(1, 2), 3));
test("adds negative numbers", () => assert.equal(add(-1, -2), -3));
`;
const FILES = { "add.mjs": "export const add = (a, b) => a + b;\n", "test/add.test.mjs": TEST };

/** A check by node's own runner with its report in the folder of the judgement. */
function check(reporter: "junit" | "tap") {
  const file = `{artifacts}/report.${reporter}`;
  const command = [process.execPath, "--test", `--test-reporter=${reporter}`, `--test-reporter-destination=${file}`];
  return { step: "check", name: "tests", command, report: { format: reporter, path: file } };
}

function batch(stage: Stage, reporter: "junit" | "tap", ticket: object = {}): string {
  stage.repo("app", FILES);
  return stage.batch([{ id: "T-1", ...ticket }], {
    finish: [{ step: "gates" }, check(reporter), { step: "merge" }],
    limits: { attempts: 1 },
  });
}

/** Source of an agent that changes the tests of the repository. */
const edit = (from: string, to: string) =>
  `fs.writeFileSync("test/add.test.mjs", fs.readFileSync("test/add.test.mjs", "utf8").replace(${JSON.stringify(from)}, ${JSON.stringify(to)}));`;

test.for(["junit", "tap"] as const)("an honest change by %s lands, and the report counts it as compared", async (reporter) => {
  using stage = new Stage();
  stage.agent(`fs.writeFileSync("test/more.test.mjs", 'import { test } from "node:test"; test("more", () => {});');`);
  const { code, events } = await stage.events(batch(stage, reporter));
  expect(code).toBe(0);
  expect(events.find((e) => e.type === "step-ended" && e.step === 1)).toMatchObject({
    ok: true,
    strength: "compared",
    summary: expect.stringMatching(/^passed in [\d.]+ s: 3 tests, 2 on the base(?:; .*)?$/),
  });
  expect((await stage.report()).checks).toEqual({ compared: 1, uncompared: 0, exitCodeOnly: 0 });
  expect((await stage.run(["report", "--md"])).stdout).toContain("checks 1 test by test");
});

test.for([
  [
    "removes a test",
    edit('test("adds negative numbers"', '((..._) => {})("adds negative numbers"'),
    "1 test of the base vanished",
  ],
  ["skips one", edit('test("adds negative', 'test.skip("adds negative'), "1 test newly skipped"],
  [
    "breaks one and ends the process with 0",
    `fs.writeFileSync("add.mjs", "export const add = () => 3; process.on('exit', () => { process.exitCode = 0; });");`,
    "1 test failed",
  ],
  ["deletes the tests", `fs.rmSync("test", { recursive: true });`, "the report holds no tests"],
  [
    "ends the process with 0 before anything is reported",
    `fs.writeFileSync("test/a.test.mjs", "process.kill(process.ppid, 'SIGKILL')");`,
    "was ended by SIGKILL",
  ],
] as const)("an agent that %s ships nothing", async ([, body, why]) => {
  using stage = new Stage();
  stage.agent(body);
  const { code, events } = await stage.events(batch(stage, "junit"));
  expect(code).toBe(1);
  expect(events.find((e) => e.type === "attempt-ended")?.evidence?.summary).toContain(why);
  expect(stage.landed()).toEqual([]);
});

const FAILING = `import { test } from "node:test";
import assert from "node:assert";
import { add } from "../add.mjs";
test("adds fractions", () => assert.equal(add("0.5", "0.5"), 1));
test("adds words", () => assert.equal(add("a", "b"), "a + b"));
`;

/** The agent mends what the first of the two failing tests is about. */
const MENDS = `fs.writeFileSync("add.mjs", "export const add = (a, b) => (Number(a) === Number(a) ? Number(a) + Number(b) : a + b);\\n");`;

test("a ticket turns the test green that it names; another that fails on the base does not count, and that is said everywhere", async () => {
  using stage = new Stage();
  stage.agent(`fs.appendFileSync(process.env.LOOPDASH_OUTBOX + "/../seen.txt", prompt); ${MENDS}`);
  const file = batch(stage, "junit", { fixes: ["* > adds fractions"] });
  stage.write("app/test/failing.test.mjs", FAILING);
  stage.git("app", "add", "-A");
  stage.git("app", "commit", "-q", "-m", "red");
  const plan = (await stage.run([file, "--dry-run"])).stdout;
  expect(plan).toContain("those that fail on the base do not count, unless a ticket names them in fixes");
  expect(plan).toContain("T-1  [app]  Do T-1  fixes 1 test by name");
  const { code, events } = await stage.events(file);
  expect(code).toBe(0);
  const words = /^1 test fails on the base and does not count: .*adds words$/;
  expect(events.find((e) => e.type === "base-failing")).toMatchObject({
    ticket: "T-1",
    check: "tests",
    count: 1,
    tests: [expect.stringMatching(/adds words$/)],
  });
  const { summary } = events.find((e) => e.type === "step-ended" && e.step === 1) as { summary: string };
  expect(summary.split("; ")[1]).toMatch(words);
  const report = await stage.report();
  expect(report.tickets[0]).toMatchObject({ fixes: ["* > adds fractions"], failingOnBase: [{ check: "tests", count: 1 }] });
  for (const form of [[], ["--md"], ["--html"]])
    expect((await stage.run(["report", ...form])).stdout).toContain("1 test fails on the base and does not count");
});

test("an agent that leaves the named test failing ships nothing; a batch in which nobody could tell is refused", async () => {
  using stage = new Stage();
  stage.agent(
    `if (!prompt.includes("- *adds fractions")) throw new Error(prompt); fs.writeFileSync("notes.txt", "pre-existing");`,
  );
  const file = batch(stage, "tap", { fixes: ["*adds fractions"] });
  stage.write("app/test/failing.test.mjs", FAILING);
  stage.git("app", "add", "-A");
  stage.git("app", "commit", "-q", "-m", "red");
  const { code, events } = await stage.events(file);
  expect(code).toBe(1);
  expect(events.find((e) => e.type === "attempt-ended")?.evidence?.summary).toBe(
    "1 of the tests that the ticket fixes is still failing",
  );
  const blind = stage.batch([{ id: "T-1", fixes: ["a"] }]);
  const refused = await stage.run([blind]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("no check of its finish line names a report, so nobody could tell whether these tests pass");
});

test("a person may allow a ticket to rename a test", async () => {
  using stage = new Stage();
  stage.agent(edit('test("adds negative numbers"', 'test("adds numbers below zero"'));
  const allow = { testsRemoved: ["* > adds negative numbers"] };
  expect((await stage.events(batch(stage, "junit", { allow }))).code).toBe(0);
  expect(stage.landed()).toEqual(["T-1"]);
});
