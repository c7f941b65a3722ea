import { describe, expect, test } from "vitest";
import { parseTicketText } from "../../oracle/ticket-file.ts";

describe("a ticket file", () => {
  test.each<[string, string, object | undefined]>([
    ["a heading", "# T\n", { id: "A", state: "open" }],
    ["a heading after a mark", "\ufeff# T\n", { id: "A", state: "open" }],
    ["a heading further down", "words\n\n#  T\n", { id: "A", state: "open" }],
    ["a mark within", "words\n\ufeff# T\n", undefined],
    ["a heading of nothing", "# \n#T\n## T\n x # T\n", undefined],
    ["front matter of nothing", "---\n---\n", { id: "A", state: "open" }],
    ["an end without a line end", "---\nstate: done\n---", { id: "A", state: "done" }],
    ["blanks behind the lines", "--- \t\r\nstate: done\r\n---  \r\nstate: open\r\n", { id: "A", state: "done" }],
    [
      "all three",
      "---\nid: B\nstate: human-gated\nhumanStep: ' press it '\n---\n",
      { id: "B", state: "human-gated", step: "press it" },
    ],
    ["a blank step", "---\nstate: human-gated\nhumanStep: ' '\n---\n", { id: "A", state: "human-gated" }],
    ["no step", "---\nstate: human-gated\n---\n", { id: "A", state: "human-gated" }],
    ["a line before", "\n---\nstate: done\n---\n", undefined],
    ["more than three dashes", "----\nstate: done\n---\n", undefined],
    ["words before the dashes", "x---\nstate: done\n---\n", undefined],
    ["words behind the dashes", "--- x\nstate: done\n---\n", undefined],
  ])("%s", (_what, text, expected) => {
    expect(parseTicketText("A.md", text)).toStrictEqual(expected);
  });

  test.each([
    ["a b.md", "# T\n", 'its file name is not a ticket id: "a b"'],
    ["a b.md", "---\nstate: done\n---\n", 'its file name is not a ticket id: "a b"'],
    ["A.md", "---\nid: a b\n---\n", 'its id is not a ticket id: "a b"'],
    ["A.md", `---\nhumanStep: ${"x".repeat(501)}\n---\n`, "its humanStep is not one line of at most 500 characters"],
    ["A.md", "---", "its front matter is not closed by a `---` line"],
    ["A.md", "---\nstate: done\n", "its front matter is not closed by a `---` line"],
  ])("%s of %j cannot be judged", (name, text, problem) => {
    expect(() => parseTicketText(name, text)).toThrow(expect.objectContaining({ name: "CannotJudge", message: problem }));
  });

  test("a name without front matter may have another id inside", () => {
    expect(parseTicketText("a b.md", "---\nid: B\n---\n")).toStrictEqual({ id: "B", state: "open" });
  });
});
