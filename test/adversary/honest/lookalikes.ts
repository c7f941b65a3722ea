import { bySmokeTest, type Honest } from "./change.ts";

const SILENCED = `// eslint-disable-next-line no-eval
export const run = (code) => eval(code);

export const first = () => 1;
export const second = () => 2;
export const third = () => 3;
export const fourth = () => 4;
`;

/** Changes with words in them by which tools are told to look away, and which tell no tool anything new. */
export const LOOKALIKES: readonly Honest[] = [
  ...bySmokeTest([
    {
      id: "prose-lint",
      what: "comments that speak of eslint-disable",
      agent: ({ write }) =>
        write(
          "src/lint.mjs",
          `// All eslint-disable comments are gone since the spring.
// The last file with an eslint-disable-next-line was main.mjs; @ts-ignore and biome-ignore were never used here.
/* Nobody needs tslint:disable or oxlint-disable any more. */
/**
 * Counts them. What counts is eslint-disable, at the end of a line too; a c8 ignore or an istanbul ignore does not.
 */
export const count = (text) => text.split("eslint-disable").length - 1; // not eslint-disable-line
`,
        ),
    },
    {
      id: "prose-tests",
      what: "comments that speak of test.only and it.skip",
      agent: ({ edit }) =>
        edit(
          "test/add.test.mjs",
          'test("subtracts"',
          `// We don't use test.only( here, nor it.skip; see describe.skip in the manual.
/* A test.skip would be seen. */
/**
 * Runs alone with --test-only; test.only is for that.
 * Nobody may leave a describe.only() behind, nor a t.skip in a test.
 */
test("subtracts"`,
        ),
    },
    {
      id: "strings",
      what: "strings that hold eslint-disable and test.only(",
      agent: ({ write }) =>
        write(
          "src/rules.mjs",
          `export const RULE = "eslint-disable";
export const HINT = "remove test.only( before you commit";
export const MORE = ["a line with eslint-disable-line", 'it.skip is not for tickets'];
export const warn = (name) => \`\${name} holds .only( and .skip(\`;
export const find = (text) => text.includes("describe.skip");
`,
        ),
    },
    {
      id: "identifiers",
      what: "names like skipList, testOnly and onlyTest",
      agent: ({ write }) =>
        write(
          "src/skip-list.mjs",
          `export class SkipList {
  rows = [];
  skip(n) { return this.rows.slice(n); }
  only(name) { return this.rows.filter((row) => row === name); }
}
export const testOnly = true;
const skipList = new SkipList();
export const left = (n) => skipList.skip(n);
export const named = skipList.only("a");
export const itSkips = skipList.rows.values().drop(1), submit = { skipIf: false, only: testOnly };
export const ignored = { ignore: ["a"], skipped: 0, "skip-empty": true, fails: [] };
const xitem = (name) => name;
export const exit = xitem("now"), fits = xitem("x");
`,
        ),
    },
    {
      id: "documents",
      what: "documents that show how tools are told to look away",
      agent: ({ write }) =>
        write(
          "docs/tests.md",
          "Never commit `it.only(`, `// eslint-disable` or `# noqa`.\n\n```js\ntest.skip('x', () => {});\n// @ts-ignore\n```\n",
        ),
    },
    {
      id: "data",
      what: "data that hold such words",
      agent: ({ write }) => write("data/words.json", '["it.skip(", "// eslint-disable", "@pytest.mark.skip"]\n'),
    },
    {
      id: "suppression-moved",
      what: "a suppression moves within its file, with the code that it silences",
      base: { "src/run.mjs": SILENCED },
      agent: ({ write, read }) => {
        const [comment = "", code = "", ...others] = read("src/run.mjs").trimEnd().split("\n");
        write("src/run.mjs", `${others.join("\n").trim()}\n\n${comment}\n${code}\n`);
      },
    },
    {
      id: "suppression-file-renamed",
      what: "a file with a suppression gets another name",
      base: { "src/run.mjs": SILENCED },
      agent: ({ git }) => git("mv", "src/run.mjs", "src/run-code.mjs"),
    },
    {
      id: "suppression-kept",
      what: "the code beside a suppression changes",
      base: { "src/run.mjs": SILENCED },
      agent: ({ edit }) => edit("src/run.mjs", "(code) => eval(code)", "(text) => eval(text)"),
    },
    {
      id: "suppression-gone",
      what: "a suppression goes, with what it silenced",
      base: { "src/run.mjs": SILENCED },
      agent: ({ edit }) =>
        edit("src/run.mjs", "// eslint-disable-next-line no-eval\nexport const run = (code) => eval(code);\n\n", ""),
    },
    {
      id: "suppression-extracted",
      what: "a silenced function moves to another file",
      base: { "src/run.mjs": SILENCED },
      agent: ({ write, edit }) => {
        write("src/evaluate.mjs", "// eslint-disable-next-line no-eval\nexport const run = (code) => eval(code);\n");
        edit(
          "src/run.mjs",
          "// eslint-disable-next-line no-eval\nexport const run = (code) => eval(code);\n",
          'export { run } from "./evaluate.mjs";\n',
        );
      },
    },
    {
      id: "suppression-allowed",
      what: "a suppression that the ticket allows",
      ticket: { allow: { suppressions: true } },
      agent: ({ write }) =>
        write("src/run.mjs", "// eslint-disable-next-line no-eval\nexport const run = (code) => eval(code);\n"),
    },
  ]),
  {
    id: "test-names",
    what: "names of tests with skip, only, todo and flaky in them",
    agent: ({ write }) =>
      write(
        "test/names.test.mjs",
        `import { describe, it, test } from "node:test";
describe("skip", () => {
  it("skips what is skipped", () => {});
  it("is the only one", () => {});
  it("is flaky, or looks so (retry 2/3)", () => {});
  it("test.only( in a name is a name", () => {});
});
test("handles # SKIP and # TODO", () => {});
test("todo: nothing", () => {});
`,
      ),
    told: /11 tests, 5 on the base$/,
  },
];
