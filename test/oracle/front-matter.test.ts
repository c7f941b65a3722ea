import { describe, expect, test } from "vitest";
import { parseTicketHead } from "../../oracle/front-matter.ts";

const NOT_PLAIN = "not a plain `key: value` line; the oracle reads no more of YAML than that";
const NOT_READ = "a value that the oracle does not read; put it in double quotes, on one line";

describe("front matter that is understood", () => {
  test.each<[string, string[], object]>([
    ["nothing", [], {}],
    ["nothing of ours", ["title: x", "labels: [a]"], {}],
    ["blank lines and comments", ["", "   ", "# a", "   # b", "state: done"], { state: "done" }],
    ["a comment behind", ["state: done   # yes # more"], { state: "done" }],
    ["blanks behind", ["state: done  "], { state: "done" }],
    ["words with blanks", ["humanStep: press it twice"], { humanStep: "press it twice" }],
    ["a colon within a word", ["humanStep: a:b"], { humanStep: "a:b" }],
    ["a hash at a word's end", ["humanStep: press C#"], { humanStep: "press C#" }],
    ["single quotes", ["humanStep: 'it''s'  # x"], { humanStep: "it's" }],
    ["double quotes", ['humanStep: "a \\"b\\" \\\\"'], { humanStep: 'a "b" \\' }],
    ["a step that is left empty", ["state: done", "humanStep:"], { state: "done" }],
    ["a step that is only a comment", ["humanStep: # later"], {}],
    ["a list below a key", ["a:", "- x", "-   y", "id: T-1"], { id: "T-1" }],
    ["a list that is indented", ["a:", "  - x", "  - 'y z'", "id: T-1"], { id: "T-1" }],
    ["keys below a key", ["a:", "  x: 1", "  y: [b]", "  state: done", "id: T-1"], { id: "T-1" }],
    ["an empty key below a key", ["a:", "  x:", "id: T-1"], { id: "T-1" }],
    ["a comment between", ["a:", "# c", "  x: 1", "", "  y: 2", "id: T-1"], { id: "T-1" }],
    ["a key with a dash after an empty one", ["a:", "b - c: d", "state: open"], { state: "open" }],
    ["a text over lines", ["a: |", "  state: done", "", "    more", "state: open"], { state: "open" }],
    ["a folded text", ["a: >-", "  - x", "state: open"], { state: "open" }],
    ["a key of 100 characters", [`${"k".repeat(100)}: x`], {}],
  ])("%s", (_what, lines, expected) => {
    expect(parseTicketHead(lines)).toStrictEqual(expected);
  });
});

describe("front matter that is refused, with the line and the reason", () => {
  test.each<[string[], number, string]>([
    [["- x"], 2, NOT_PLAIN],
    [["  a: b"], 2, NOT_PLAIN],
    [["state: done", "- x"], 3, NOT_PLAIN],
    [["state: done", "  x: 1"], 3, NOT_PLAIN],
    [["a: x", "- y"], 3, NOT_PLAIN],
    [["a: x", "  y"], 3, NOT_PLAIN],
    [["a: [x]", "- y"], 3, NOT_PLAIN],
    [["a: |", "- x"], 3, NOT_PLAIN],
    [["a: |", "  x", "# c", "  state: done"], 5, NOT_PLAIN],
    [["humanStep:", "  x: 1"], 3, NOT_PLAIN],
    [["a:", "  x: 1", "  - y"], 4, NOT_PLAIN],
    [["a:", "  - x", "  y: 1"], 4, NOT_PLAIN],
    [["a:", "  - x", "- y"], 4, "a list is indented unevenly"],
    [["a:", "-   [x]"], 3, "a list holds more than plain items"],
    [["a:", "- |"], 3, "a list holds more than plain items"],
    [["a:", "  x: 1", "   y: 1"], 4, "keys below a key are indented unevenly"],
    [["a:", "  x: 1", "  x: 2"], 4, 'the key "x" is there twice'],
    [["a:", "  x: |"], 3, "a block of text below a key"],
    [["a:", `  ${"k".repeat(101)}: x`], 3, "a key of more than 100 characters"],
    [[`${"k".repeat(101)}: x`], 2, "a key of more than 100 characters"],
    [["state: open", "state: done"], 3, 'the key "state" is there twice'],
    [["state: open", "state:"], 3, 'the key "state" is there twice'],
    [["state:\tdone"], 2, "a tab or control character in the front matter"],
    [["a: |", "  x\u0085state: done"], 3, "a tab or control character in the front matter"],
    [["# \ud800"], 2, "half a character in the front matter"],
    [["a: |", "   "], 3, "a line of spaces in a block of text"],
    [["a: |", "    x", "  y"], 4, "a block of text is indented unevenly"],
    [["id: [T-1]"], 2, "id is not a word or a text on its own line"],
    [["id:"], 2, "id is not a word or a text on its own line"],
    [["state: |", "  done"], 2, "state is not a word or a text on its own line"],
    [["state:"], 2, "state is not a word or a text on its own line"],
    [["humanStep: >"], 2, "humanStep is not a word or a text on its own line"],
    [["humanStep: [a]"], 2, "humanStep is not a word or a text on its own line"],
    [["humanStep: a: b"], 2, NOT_READ],
    [["humanStep: a:"], 2, NOT_READ],
    [['state: "done" not'], 2, NOT_READ],
    [['state: "done"#not'], 2, NOT_READ],
    [["state: 'done' not"], 2, NOT_READ],
    ...Array.from("-?:,[]{}#&*!|>'\"%@`".replace("#", ""), (sign): [string[], number, string] => [
      [`state: ${sign}done`],
      2,
      NOT_READ,
    ]),
  ])("%j", (lines, line, reason) => {
    expect(() => parseTicketHead(lines)).toThrow(
      expect.objectContaining({ name: "CannotJudge", message: `line ${line}: ${reason}`, cause: expect.any(Error) as Error }),
    );
  });
});
