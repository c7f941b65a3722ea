import { describe, expect, test } from "vitest";
import { formatBoundProblems, parseBound } from "../../../src/domain/bound/parse-bound.ts";

const GOOD = `# BOUND

What agents may not do here.

## DANGER ZONES

- \`src/payments/\`: money moves here,
  so two people look at it
- \`migrations/**\`

## never do

- Never log a card number.

<!-- a note
- \`not/a/zone\`
-->
## IRON LAWS

- \`npm run typecheck\`: types hold
- \`go vet ./...\`
- The public names stay.
`;

describe("parseBound", () => {
  test("reads zones, prohibitions and laws with their lines", () => {
    expect(parseBound(GOOD)).toEqual({
      ok: true,
      bound: {
        zones: [
          { path: "src/payments/", why: "money moves here, so two people look at it", origin: { file: "BOUND.md", line: 7 } },
          { path: "migrations/**", origin: { file: "BOUND.md", line: 9 } },
        ],
        neverDo: [{ text: "Never log a card number.", origin: { file: "BOUND.md", line: 13 } }],
        ironLaws: [
          {
            name: "iron-law-1",
            text: "types hold",
            command: ["npm", "run", "typecheck"],
            origin: { file: "BOUND.md", line: 20 },
          },
          { name: "iron-law-2", text: "go vet ./...", command: ["go", "vet", "./..."], origin: { file: "BOUND.md", line: 21 } },
          { name: "iron-law-3", text: "The public names stay.", origin: { file: "BOUND.md", line: 22 } },
        ],
      },
    });
  });

  test("the same with other line ends and a byte order mark", () => {
    expect(parseBound(`\uFEFF${GOOD.replaceAll("\n", "\r\n")}`)).toEqual(parseBound(GOOD));
  });

  const zone = (line: string): string => `## DANGER ZONES\n${line}\n`;
  test.for<[what: string, text: string, problem: RegExp]>([
    ["no section", "# BOUND\n\nBe careful.\n", /^BOUND\.md:1 {2}the file has no section; the sections are "## DANGER ZONES"/],
    ["an empty file", "", /the file has no section/],
    ["an unknown heading", "## DANGER ZONE\n- `a/`\n", /^BOUND\.md:1 {2}the heading "DANGER ZONE" is none of the sections/],
    ["a heading without a space that is unknown", "##Danger\n", /the heading "Danger" is none/],
    ["a section on another level", "### DANGER ZONES\n- `a/`\n", /on that level/],
    ["a second title below", "## NEVER DO\n- x\n# DANGER ZONES\n- `a/`\n", /^BOUND\.md:3 /],
    ["a heading by underline", "DANGER ZONES\n------------\n- `a/`\n", /stands before the first section/],
    ["a list before the first section", "- `a/`\n## NEVER DO\n- x\n", /^BOUND\.md:1 {2}a rule or a heading stands before/],
    [
      "a section twice",
      "## NEVER DO\n- x\n## NEVER DO\n- y\n",
      /^BOUND\.md:3 {2}the section "NEVER DO" is there twice; .* line 1/,
    ],
    ["an empty section", "## DANGER ZONES\n\n## NEVER DO\n- x\n", /^BOUND\.md:1 {2}the section is empty; add a rule/],
    ["an empty section of nothing but a comment", "## DANGER ZONES\n<!-- - `a/` -->\n", /the section is empty/],
    ["prose in a section", zone("src/payments"), /^BOUND\.md:2 {2}"src\/payments" is no rule/],
    ["a code block in a section", zone("```"), /"```" is no rule/],
    ["a zone without backticks", zone("- src/payments/"), /does not begin with a path in backticks/],
    ["an empty item", zone("- "), /is no rule|the rule is empty/],
    ["two paths in a rule", zone("- `a/`, `b/`"), /names more than one path/],
    ["a placeholder", zone("- `<your folder>/`"), /the path is a placeholder/],
    ["another placeholder", zone("- `path/to/danger/`"), /the path is a placeholder/],
    ["a placeholder in prose", "## NEVER DO\n- TODO\n", /the rule is a placeholder/],
    ["a placeholder for a command", "## IRON LAWS\n- `<command>`\n", /the command is a placeholder/],
    ["..", zone("- `src/../payments/`"), /has the segment "\.\."/],
    ["./", zone("- `./payments/`"), /has the segment "\."/],
    ["an absolute path", zone("- `/payments/`"), /not relative to the top/],
    ["a path of a home", zone("- `~/payments/`"), /not relative/],
    ["a path of Windows", zone("- `src\\payments`"), /backslash/],
    ["a double slash", zone("- `src//payments`"), /has the segment ""/],
    ["** within a segment", zone("- `src/**.sql`"), /\*\* stands for whole folders/],
    ["a command for a shell", "## IRON LAWS\n- `npm test && true`\n", /needs a shell/],
    ["an open comment", `${GOOD}<!-- `, /^BOUND\.md:23 {2}the comment is not closed/],
    ["too many rules", `## NEVER DO\n${"- x\n".repeat(201)}`, /has 201 rules, and 200 are the most/],
  ])("refuses %s, with the line and what to do", ([, text, problem]) => {
    const parsed = parseBound(text);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) expect(formatBoundProblems(parsed.problems)).toMatch(new RegExp(problem, "m"));
  });

  test("names every problem, in the order of the lines", () => {
    const parsed = parseBound("## DANGER ZONES\n- `/a`\n- `b`\n## WHAT\n## IRON LAWS\n");
    expect(!parsed.ok && parsed.problems.map(({ line }) => line)).toEqual([2, 4, 5]);
  });
});
