import { describe, expect, it } from "vitest";
import { parseContractText } from "../../../src/adapters/contract/contract-file.ts";
import { formatProblems } from "../../../src/domain/batch/problem.ts";
import { readBatch } from "../../../src/domain/batch/read.ts";
import { type ContractSurroundings, readContract } from "../../../src/domain/batch/read-contract.ts";

const GOOD = `---
criteria:
  - name: build
    command: [make, build]
  - name: no todos
    command: ["grep", "-rq", "TODO", "src"]
    exitCode: 1
  - name: unit
    command: [npm, test]
    report: {format: junit, path: "{artifacts}/r.xml"}
    condition: tests_total >= base and tests_failed == 0
stopWhen: {attempts: 2, minutes: 30, usd: 4, sameFailure: 2}
safety:
  protect: [db/**]
  only: ["src/**", "*.md"]
  files: 20
  rules: [Ask nobody for more time.]
phases:
  - {name: tests, criteria: [unit]}
  - {name: tidy, criteria: [no todos]}
---
# Shop

Words.
`;

const NOTHING: ContractSurroundings = { taken: [], hosts: [] };

function problemsOf(text: string, surroundings = NOTHING): string {
  const read = readContract("c/shop.md", parseContractText(text), surroundings);
  return read.ok ? "" : formatProblems("batch.json", read.problems);
}

/** The example with one line replaced, or with lines at the end of its front matter. */
const withLine = (from: string, to: string) => GOOD.replace(from, to);
const withMore = (lines: string) => GOOD.replace("---\n# Shop", `${lines}\n---\n# Shop`);

describe("a contract file", () => {
  it("becomes checks in the order of its phases, and what the engine and the agents are told", () => {
    const read = readContract("c/shop.md", parseContractText(GOOD), NOTHING);
    if (!read.ok) throw new Error(formatProblems("", read.problems));
    expect(read.checks).toEqual([
      {
        step: "check",
        name: "unit",
        command: ["npm", "test"],
        report: { format: "junit", path: "{artifacts}/r.xml" },
        criterion: { condition: "tests_total >= base and tests_failed == 0" },
      },
      { step: "check", name: "no todos", command: ["grep", "-rq", "TODO", "src"], criterion: { exitCode: 1 } },
      { step: "check", name: "build", command: ["make", "build"], criterion: {} },
    ]);
    expect(read.contract).toMatchObject({
      path: "c/shop.md",
      sha: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      body: "# Shop\n\nWords.",
      stopWhen: { attempts: 2, minutes: 30, usd: 4, sameFailure: 2 },
      safety: { protect: ["db/**"], only: ["src/**", "*.md"], files: 20, rules: ["Ask nobody for more time."] },
    });
  });

  it.each([
    ["has no front matter", "# Shop\n", "c/shop.md:1:1  has no front matter"],
    ["does not end its front matter", "---\ncriteria: []\n", "c/shop.md:1:1  has no front matter"],
    ["has an unknown key", withMore("safty: {}"), 'c/shop.md:21:1  unknown key "safty"; did you mean "safety"?'],
    ["names a promise", withMore("promise: DONE"), 'c/shop.md:21:1  unknown key "promise"'],
    [
      "has an unknown key in a criterion",
      withLine("exitCode: 1", "exitcode: 1"),
      'c/shop.md:7:5  criteria[1]: unknown key "exitcode"; did you mean "exitCode"?',
    ],
    ["has no criteria", "---\nstopWhen: {attempts: 1}\n---\n", "c/shop.md:2:1  criteria is missing"],
    ["has an empty front matter", "---\n---\n", "c/shop.md:1:1  criteria is missing"],
    ["gives a key twice", withMore("criteria: []"), 'c/shop.md:21:1  the key "criteria" is given twice'],
    ["gives a command as a text", withLine("[make, build]", "make build"), 'write ["make", "build"]'],
    ["gives a number for a word", withLine("[make, build]", "[make, 3]"), "criteria[0].command[1] must be text"],
    ["gives a text for a number", withLine("exitCode: 1", "exitCode: '1'"), "c/shop.md:7:15  criteria[1].exitCode must be"],
    ["wants an exit code of the system", withLine("exitCode: 1", "exitCode: 127"), "a whole number from 0 to 125"],
    ["wants exit code and report", withLine("    condition:", "    exitCode: 1\n    condition:"), "goes without a report"],
    [
      "has a condition without a report",
      withLine("exitCode: 1", "condition: tests_failed == 0"),
      "counts tests, and the criterion has no report",
    ],
    [
      "names no count",
      withLine("tests_total >=", "test_total >="),
      'c/shop.md:11:16  criteria[2].condition: names no count of tests ("test_total"); did you mean "tests_total"?',
    ],
    ["has no condition's form", withLine("tests_total >= base and", "tests_total is base and"), "is no condition"],
    ["names two criteria alike", withLine("no todos\n", "build\n"), 'there is a criterion "build" already'],
    ["names an unknown criterion", withLine("[no todos]", "[no todo]"), 'unknown criterion "no todo"; did you mean "no todos"?'],
    ["has a criterion in two phases", withLine("[no todos]", "[unit]"), '"unit" is of the phase "tests" already'],
    ["has two phases of a name", withLine("name: tidy", "name: tests"), 'there is a phase "tests" already'],
    ["stops by what nobody can count", withLine("usd: 4", "happy: 4"), 'stopWhen: unknown key "happy"'],
    ["stops by nothing", withLine("{attempts: 2, minutes: 30, usd: 4, sameFailure: 2}", "{}"), "must name at least one bound"],
    ["weakens a breaker", withLine("sameFailure: 2", "sameFailure: 9"), "a whole number from 2 to 3"],
    ["protects outside", withLine("db/**", "../db"), 'c/shop.md:14:13  safety.protect[0] must not contain ".."'],
    ["has an alias", withLine("[db/**]", "&a [db/**]"), "anchors are not read"],
    ["has a tag", withLine("[db/**]", "!!set [db/**]"), "c/shop.md:14"],
    ["is not YAML", withLine("[db/**]", "[db/**"), "not valid YAML"],
    ["has a report outside", withLine("{artifacts}/r.xml", "../r.xml"), "it must name a file below its folder"],
    ["has too long a text", `${GOOD}${"x".repeat(12_001)}`, "longer than 12000 characters"],
  ])("%s", (_, text, message) => {
    expect(problemsOf(text)).toContain(message);
  });

  it.each([
    [
      { taken: ["unit"], hosts: [] },
      'c/shop.md:8:11  criteria[2].name: the ticket\'s finish line has a check named "unit" already',
    ],
    [{ taken: [], hosts: ["build"] }, "the batch opens hosts to steps named"],
  ])("refuses names that belong to the batch: %o", (surroundings, message) => {
    expect(problemsOf(GOOD, surroundings)).toContain(message);
  });
});

describe("the contract of a ticket", () => {
  const FINISH = [
    { step: "gates" },
    { step: "check", name: "tests", command: ["npm", "test"] },
    { step: "review" },
    { step: "merge" },
  ];
  const file = (over: object, ticket: object = {}) =>
    JSON.stringify({
      name: "shop",
      repos: { app: { path: "app" } },
      agent: { kind: "command", command: ["true"] },
      reviewer: { kind: "command", command: ["review"] },
      finish: FINISH,
      tickets: [
        { id: "S-1", title: "one", ...ticket },
        { id: "S-2", title: "two" },
      ],
      ...over,
    });
  const read = (text: string, contracts = { "c/shop.md": GOOD }) =>
    readBatch(text, {
      folder: "/w",
      contracts: new Map(Object.entries(contracts).map(([path, each]) => [path, parseContractText(each)])),
    });
  const steps = (result: ReturnType<typeof read>, i = 0) =>
    result.ok ? result.batch.tickets[i]?.finish.map((step) => ("name" in step ? step.name : step.step)) : result.problems;

  it("adds its criteria before review and merge, for that ticket alone", () => {
    const result = read(file({}, { contract: "c/shop.md" }));
    expect(steps(result)).toEqual(["gates", "tests", "unit", "no todos", "build", "review", "merge", "assert"]);
    expect(steps(result, 1)).toEqual(["gates", "tests", "review", "merge", "assert"]);
    expect(result.ok && result.batch.finish?.length).toBe(5);
  });

  it("can be named by the batch for a ticket that it does not list", () => {
    expect(steps(read(file({ contracts: { "S-2": "c/shop.md" } })), 1)).toContain("unit");
  });

  it("adds gates if it has rules for the change and the finish line has none", () => {
    const finish = [{ step: "merge" }];
    expect(steps(read(file({ finish }, { contract: "c/shop.md" })))).toEqual([
      "gates",
      "unit",
      "no todos",
      "build",
      "merge",
      "assert",
    ]);
  });

  it.each([
    [
      "is named twice",
      file({ contracts: { "S-1": "c/shop.md" } }, { contract: "c/shop.md" }),
      'names a contract in "tickets" as well',
    ],
    ["is of no ticket", file({ contracts: { "S-3": "c/shop.md" } }), 'the batch has no ticket "S-3"; did you mean'],
    ["was not read", file({}, { contract: "c/other.md" }), "c/other.md  the contract was not read"],
  ])("keeps the batch from running if it %s", (_, text, message) => {
    const result = read(text);
    expect(result.ok ? "" : formatProblems("batch.json", result.problems)).toContain(message);
  });

  it("names the place of a criterion in its own file", () => {
    const result = read(file({}, { contract: "c/shop.md" }));
    expect(result.ok && result.locate(["tickets", 0, "contract", "criteria", "build", "command"])).toEqual({
      file: "c/shop.md",
      path: "criteria[0].command",
      line: 4,
      column: 14,
    });
  });

  it("warns of a bound that the batch's own is tighter than", () => {
    const result = read(file({ limits: { attempts: 1 } }, { contract: "c/shop.md" }));
    expect(result.ok && formatProblems("batch.json", result.warnings)).toContain(
      "c/shop.md:12:22  stopWhen.attempts: 2 has no effect: the batch's limits.attempts is 1",
    );
  });
});
