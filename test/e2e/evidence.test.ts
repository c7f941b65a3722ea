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
    summary: expect.stringMatching(/^passed in [\d.]+ s: 3 tests, 2 on the base; test canary passed$/),
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

test("a person may allow a ticket to rename a test", async () => {
  using stage = new Stage();
  stage.agent(edit('test("adds negative numbers"', 'test("adds numbers below zero"'));
  const allow = { testsRemoved: ["* > adds negative numbers"] };
  expect((await stage.events(batch(stage, "junit", { allow }))).code).toBe(0);
  expect(stage.landed()).toEqual(["T-1"]);
});
