import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ADDER, type Files, type Judging, judged, NODE_TESTS, opened, TEST_HEAD } from "./evidence-stage.ts";

cleanUp();

const NODE = process.execPath;

const BASE: Files = {
  ...ADDER,
  "test/other.test.mjs": `${TEST_HEAD}import { add } from "../add.mjs";

test("adds nothing", () => assert.equal(add(1, 0), 1));
`,
  list: "test/add.test.mjs\n",
};
const HONEST: Files = { "add.mjs": "/** The sum. */\nexport const add = (a, b) => a + b;\n" };

function check(command: readonly [string, ...string[]], more: Partial<Extract<StepSpec, { step: "check" }>> = {}) {
  return { step: "check", name: "tests", command: [...command], ...more } satisfies StepSpec;
}
const BY_CODE = check([NODE, "--test"]);

/** What came of a change that is proven alone, and the files that wait for a person's approval. */
async function told({ stage: options, ...judging }: Judging) {
  using stage = await opened({ base: BASE, change: HONEST, check: NODE_TESTS, stage: { proof: "each", ...options }, ...judging });
  const result = await judged(stage);
  return { ...result, awaits: stage.of("approval-awaited")[0]?.zones };
}

/** How often the command runs for a change, apart from the run on the base; and what came of it. */
async function counted(judging: Judging) {
  using first = await opened({ base: BASE });
  const file = join(first.root, "runs-noted");
  writeFileSync(file, "");
  const script = `echo >> '${file}'; exec '${NODE}' --test --test-isolation=none --test-reporter=tap test/*.mjs`;
  using stage = await opened({
    base: BASE,
    check: { ...NODE_TESTS, command: ["sh", "-c", script] },
    ...judging,
    stage: { proof: "each", ...judging.stage },
  });
  const result = await judged(stage);
  const noted = readFileSync(file, "utf8").length - 1;
  return { ...result, runs: noted, awaits: stage.of("approval-awaited")[0]?.zones };
}

describe("an honest change lands", () => {
  test.each<[string, StepSpec, string]>([
    ["by its exit code", BY_CODE, "proven with 3 planted tests"],
    ["by a report", NODE_TESTS, "proven with 3 planted tests"],
    ["with one file that the command names", check([NODE, "--test", "test/add.test.mjs"]), "proven with 2 planted tests"],
    ["through a Makefile", check(["make", "test"]), "proven with 3 planted tests"],
    [
      "if the command always exits with 0",
      check(["sh", "-c", `'${NODE}' --test || true`]),
      "proven without planted tests: the command exits with code 0 on the base too",
    ],
    [
      "if it prints nothing",
      check(["sh", "-c", `'${NODE}' --test > /dev/null 2>&1`]),
      "proven without planted tests: the output does not name a planted test that failed",
    ],
    ["without a known runner", check(["true"]), "proven without planted tests: no known test runner in the command"],
    ["if twins are switched off", { ...NODE_TESTS, canary: "off" }, "proven without planted tests: switched off"],
  ])("%s, and the summary says what happened", async (_, spec, words) => {
    const base = { ...BASE, Makefile: `.PHONY: test\ntest:\n\t'${NODE}' --test\n` };
    const { landed, summary, detail } = await told({ base, check: spec });
    expect(landed ? summary : detail).toMatch(new RegExp(`; ${words}$`));
  });

  test("with one run more", async () => {
    expect(await counted({ change: HONEST })).toMatchObject({ landed: true, runs: 2 });
  });

  test("with the same one at the end if it is proven with others, unless it changes what judges", async () => {
    const stage = { proof: "batch" } as const;
    const change = { ...HONEST, "test/new.test.mjs": `${TEST_HEAD}test("is new", () => assert.equal(1, 1));\n`, "notes.txt": "" };
    const together = await counted({ change, stage });
    // The last two are those of twins beside its new test, which shares a process with them, and of its new test on the base.
    expect(together).toMatchObject({ landed: true, runs: 4, summary: expect.not.stringMatching(/proven/) });
    const alone = await counted({ change: { ...HONEST, "test/package.json": "{}" }, stage });
    expect(alone).toMatchObject({ landed: true, summary: expect.stringMatching(/proven with 3/) });
  });

  test.each<[string, Files]>([
    [
      "new tests with what they need",
      { "test/new.test.mjs": `${TEST_HEAD}import "./three.mjs";\ntest("x", () => {});\n`, "test/three.mjs": "" },
    ],
    [
      "code in new files",
      { "add.mjs": 'export { add } from "./sum.mjs";\n', "sum.mjs": "export const add = (a, b) => b + a;\n" },
    ],
    ["another test in a file of the base", { "test/add.test.mjs": `${BASE["test/add.test.mjs"]}test("x", () => {});\n` }],
    ["another dependency", { "package.json": '{"dependencies": {"x": "1"}}', "package-lock.json": "{}" }],
  ])("with %s", async (_, change) => {
    const { landed, summary, detail } = await told({ change: { ...HONEST, ...change } });
    expect(landed ? "landed" : `${summary}\n${detail}`).toBe("landed");
  });
});

describe("forged results fail the attempt", () => {
  const FORGED = 'import assert from "node:assert";\nassert.equal = () => {};\nexport const add = () => 0;\n';
  test.each<[string, StepSpec]>([
    ["by a report", NODE_TESTS],
    ["by the exit code", BY_CODE],
    ["by the exit code, in silence", check(["sh", "-c", `'${NODE}' --test > /dev/null 2>&1`])],
  ])("%s, and the evidence names no planted test", async (_, spec) => {
    const result = await told({ check: spec, change: { "add.mjs": FORGED } });
    expect(result).toMatchObject({ landed: false, summary: "the results are forged: a planted test that must fail did not" });
    expect(result.detail).not.toMatch(/adds|\.test\.mjs/);
  });

  test("though assertions are disarmed only once the subject was called", async () => {
    const disarms = "let n = 0;\nexport const add = (a, b) => ((assert.equal = () => {}), n++ === 0 ? a + b : 0);\n";
    const change = { "add.mjs": `import assert from "node:assert";\n${disarms}` };
    expect(await told({ change })).toMatchObject({ landed: false, summary: expect.stringContaining("the results are forged") });
  });

  test("though code counts its calls", async () => {
    const change = { "add.mjs": "const sums = [3, 12, 1];\nexport const add = () => sums.shift();\n" };
    expect(await told({ change })).toMatchObject({ landed: false, summary: expect.stringContaining("the results are forged") });
  });

  test("though the change is proven with others: then it lands, and is taken back", async () => {
    using stage = await opened({ base: BASE, change: { "add.mjs": FORGED }, check: NODE_TESTS, stage: { proof: "batch" } });
    expect(await judged(stage)).toMatchObject({ landed: false });
    expect(stage.of("merge-landed")).toHaveLength(1);
    expect(stage.of("proof-ended")[0]).toMatchObject({ ok: false, summary: expect.stringContaining("the results are forged") });
  });
});

describe("what makes tests of the base pass is named, and needs approval", () => {
  const WRONG = "export const add = (a, b) => (globalThis.mended ? a + b : 0);\n";
  const NEW = `${TEST_HEAD}globalThis.mended = true;\ntest("is there", () => {});\n`;
  const MENDED = `--import=./mend.mjs`;

  test.each<[string, Files, readonly string[]]>([
    ["a new test", { "test/a.test.mjs": NEW }, ["test/a.test.mjs"]],
    [
      "an edited test, beside others that do nothing",
      {
        "test/add.test.mjs": BASE["test/add.test.mjs"]?.replace("3", "3 ") ?? "",
        "test/other.test.mjs": `globalThis.mended = true;\n${BASE["test/other.test.mjs"]}`.replace("(1, 0)", "(1,0)"),
        "test/b.test.mjs": `${TEST_HEAD}test("b", () => {});\n`,
        "tool.yml": "",
      },
      ["test/other.test.mjs"],
    ],
    ["an import that the command names", { "mend.mjs": "globalThis.mended = true;\n" }, ["mend.mjs"]],
    [
      "settings by whatever name, though code loads them",
      { "any.config.mjs": "globalThis.mended = true;\n" },
      ["any.config.mjs"],
    ],
  ])("%s", async (_, change, files) => {
    const command = [
      NODE,
      "--test",
      "--test-isolation=none",
      "--test-reporter=tap",
      MENDED,
      "--import=./any.config.mjs",
      "test/*.mjs",
    ];
    const base = { ...BASE, "mend.mjs": "", "any.config.mjs": "" };
    const wrong = { "add.mjs": `import "./mend.mjs";import "./any.config.mjs";\n${WRONG}` };
    const judging = {
      base,
      check: { ...NODE_TESTS, command: command as [string, ...string[]] },
      change: { ...wrong, ...change },
    };
    const result = await told(judging);
    expect(result).toMatchObject({ landed: false, awaits: files });
    expect(result.summary).toContain(
      `; tests of the base fail without what the change does to ${files.join(", ")}: needs approval`,
    );
    const allow = { testsRemoved: [], testsSkipped: [], suppressions: false, judge: files };
    expect(await told({ ...judging, ticket: { allow } })).toMatchObject({ landed: true });
  });

  test("a test that expects what the change does now, with as few runs as possible", async () => {
    const change = {
      "add.mjs": "export const add = (a, b) => a + b + 1;\n",
      "test/add.test.mjs": BASE["test/add.test.mjs"]?.replace(", 3)", ", 4)").replace(", 12)", ", 13)") ?? "",
      "test/other.test.mjs": BASE["test/other.test.mjs"]?.replace(", 1)", ", 2)") ?? "",
    };
    const result = await counted({ change });
    expect(result.landed).toBe(false);
    expect(result.awaits?.toSorted()).toEqual(["test/add.test.mjs", "test/other.test.mjs"]);
    expect(result.runs).toBeLessThanOrEqual(5);
  });

  test("what the check runs, without any run", async () => {
    const base = { ...BASE, Makefile: `.PHONY: test\ntest:\n\t'${NODE}' --test\n` };
    const judging = { base, check: check(["make", "test"]), change: { ...HONEST, Makefile: ".PHONY: test\ntest:\n\t@true\n" } };
    expect(await told({ ...judging, stage: { proof: "batch" } })).toMatchObject({
      landed: false,
      awaits: ["Makefile"],
      summary: expect.stringContaining("what the check runs was changed: Makefile: needs approval"),
    });
    const allow = { testsRemoved: [], testsSkipped: [], suppressions: false, scripts: true };
    expect(await told({ ...judging, ticket: { allow } })).toMatchObject({ landed: true });
  });

  test("settings that let every test pass, though no test of the base needs them", async () => {
    const base = { ...BASE, "quiet.config.mjs": "" };
    const command = ["sh", "-c", `'${NODE}' --import=./quiet.config.mjs --test test/*.mjs`] as const;
    const change = { ...HONEST, "quiet.config.mjs": "process.exit(0);\n" };
    expect(await told({ base, check: check(command), change })).toMatchObject({
      landed: false,
      awaits: ["quiet.config.mjs"],
      summary: expect.stringContaining(
        "the command fails with planted tests only without what the change does to quiet.config.mjs",
      ),
    });
  });
});

test("tests of the base that were red do not count, unless the ticket names them", async () => {
  const base = {
    ...BASE,
    "test/red.test.mjs": `${TEST_HEAD}import { add } from "../add.mjs";\nimport { two } from "../two.mjs";\ntest("red", () => assert.equal(add(1, 1), two));\n`,
  };
  const change = {
    "two.mjs": "export const two = 2;\n",
    "add.mjs": 'import "./two.mjs";\nexport const add = (a, b) => a + b;\n',
  };
  const { landed, summary, detail } = await told({ base, change, ticket: { fixes: ["*red.test.mjs"] } });
  expect(landed ? "landed" : `${summary}\n${detail}`).toBe("landed");
});
