import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { ADDER, type Files, NODE_TESTS, T1, TEST_HEAD } from "./evidence-stage.ts";
import { proofStage } from "./proof-stage.ts";

cleanUp();
const HEAD = `${TEST_HEAD}import * as sums from "../add.mjs";\n`;
const CODE = { "add.mjs": `${ADDER["add.mjs"]}export const subtract = (a, b) => a - b;\n` };
const testOf = (...lines: string[]): Files => ({ "test/more.test.mjs": HEAD + lines.map((line) => `${line}\n`).join("") });
const SUBTRACTS = 'test("subtracts", () => assert.equal(sums.subtract(3, 1), 2));';
const ADDS = 'test("adds once more", () => assert.equal(sums.add(2, 2), 4));';
const HOLDS = 'test("holds", () => assert.ok(true));';
/** By exit code alone. */
const { report: _, ...BY_CODE } = NODE_TESTS;

const ended = async (change: Files, check: StepSpec = NODE_TESTS, redFirst = true) => {
  const tickets = [ticketOf("T-1", { finish: [check, { step: "merge" }, { step: "assert" }], redFirst })];
  using stage = await proofStage({ "T-1": [change] }, { tickets, limits: { workers: 1, attempts: 1 } });
  stage.start();
  const { end } = await stage.ended();
  return { exitCode: end?.exitCode, summary: stage.ticket(T1).evidence.at(-1)?.summary };
};

describe("a ticket with redFirst", () => {
  test.each<[string, Files, StepSpec]>([
    ["a new test fails without the change", { ...CODE, ...testOf(SUBTRACTS) }, NODE_TESTS],
    ["so does a file that loads what the change adds", { ...CODE, ...importing() }, NODE_TESTS],
    [
      "an edited test does",
      { "add.mjs": "export const add = (a, b) => b + a + 0;\nexport const zero = 0;\n", ...edited("sums.zero + 3") },
      NODE_TESTS,
    ],
    ["the command does, by exit code", { ...CODE, ...testOf(SUBTRACTS) }, BY_CODE],
  ])("lands if %s", async (_what, change, check) => {
    expect(await ended(change, check)).toEqual({ exitCode: 0, summary: undefined });
  });

  test.each<[string, Files, StepSpec, string]>([
    ["a new test passes without the change", { ...CODE, ...testOf(ADDS) }, NODE_TESTS, "1 of 1 new test passes without"],
    ["one of two does", { ...CODE, ...testOf(SUBTRACTS, HOLDS) }, NODE_TESTS, "1 of 2 new tests passes without"],
    ["there is no code at all", testOf(HOLDS), NODE_TESTS, "1 of 1 new test passes without"],
    ["no test is added", CODE, NODE_TESTS, "the change adds no test"],
    ["an edited test passes as it did", { ...CODE, ...edited("3") }, NODE_TESTS, "every test passes without"],
    ["the command passes, by exit code", { ...CODE, ...testOf(HOLDS) }, BY_CODE, "the check passes with its tests and without"],
  ])("does not land if %s", async (_what, change, check, says) => {
    expect(await ended(change, check)).toEqual({ exitCode: 1, summary: expect.stringContaining(`red first: ${says}`) });
  });

  test("is not what a ticket without it is: that one lands, and the check says so", async () => {
    expect(await ended({ ...CODE, ...testOf(HOLDS) }, NODE_TESTS, false)).toEqual({ exitCode: 0, summary: undefined });
  });
});

function importing(): Files {
  const head = `${TEST_HEAD}import { subtract } from "../add.mjs";\n`;
  return { "test/more.test.mjs": `${head}test("subtracts", () => assert.equal(subtract(3, 1), 2));\n` };
}

/** The base's test with another expected value. */
function edited(expected: string): Files {
  const text = ADDER["test/add.test.mjs"]
    .replace("import { add }", "import * as sums")
    .replace("add(1, 2), 3", `sums.add(1, 2), ${expected}`);
  return { "test/add.test.mjs": text.replace("add(10, 2)", "sums.add(10, 2)") };
}
