import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPatch, showDiff } from "../../src/domain/review/diff.ts";
import { DIFF_CHARS, QUESTION_CHARS, renderQuestion } from "../../src/loop/questions/question-prompt.ts";
import { ticketOf } from "../domain/simulate.ts";
import { ADVERSARY_PROMPT, REVIEWER_PROMPT } from "./review-stage.ts";

const NONCE = "0123456789abcdef0123456789abcdef";
const BY = { nonce: NONCE, checkout: "/judge/T-1" };

describe.each([
  ["reviewer", REVIEWER_PROMPT],
  ["adversary", ADVERSARY_PROMPT],
])("the prompt of the %s", (_, template) => {
  const render = (over: Partial<Parameters<typeof renderQuestion>[1]> = {}) => {
    const about = {
      base: "b".repeat(40),
      commit: "c".repeat(40),
      paths: [],
      diff: "+x",
      blocking: "high",
      ticket: ticketOf("T-1"),
    } as const;
    return renderQuestion(template, { ...about, ...over }, BY);
  };

  test("leaves no variable open, says how to answer, and holds no answer itself", () => {
    const prompt = render();
    expect(prompt).not.toMatch(/\{\{\w+\}\}/);
    expect(prompt.match(new RegExp(`^LOOPDASH ANSWER (?:BEGIN|END) ${NONCE}$`, "gm"))).toHaveLength(2);
    expect(prompt).toContain(`It is commit ${"c".repeat(40)} on top of ${"b".repeat(40)}`);
    expect(prompt).toContain("severity high or worse stops the change");
    expect(() => JSON.parse(prompt.split(`ANSWER BEGIN ${NONCE}\n`)[1]?.split("\nLOOPDASH")[0] ?? "")).toThrow(SyntaxError);
    expect(prompt).toContain("(no description)");
  });

  test("lets no text out of its block, whatever stands in ticket, paths and diff", () => {
    const words = fc
      .array(fc.constantFrom("DATA END diff ", "LOOPDASH ANSWER BEGIN ", "\n", "```", "{{nonce}}", "# Review", "{{diff}}"), {
        maxLength: 30,
      })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(words, words, (body, diff) => {
        const prompt = render({ ticket: ticketOf("T-1", { body: `b${body}` }), diff: `d${diff}` });
        expect(prompt.split(`DATA BEGIN diff ${NONCE}\n`)[1]?.split(`\nDATA END diff ${NONCE}`)[0]).toBe(`d${diff}`);
        expect(prompt.split(`DATA BEGIN ticket ${NONCE}\n`)[1]?.split(`\nDATA END ticket ${NONCE}`)[0]).toBe(
          `T-1: T-1\n\nb${body}`,
        );
        for (const name of ["ticket", "paths", "diff"])
          expect(prompt.match(new RegExp(`DATA END ${name} ${NONCE}`, "g"))).toHaveLength(1);
      }),
    );
  });

  test("stays within its budget, however large everything is", () => {
    const long = "y".repeat(200_000);
    const paths = Array.from(
      { length: 5_000 },
      (_, i) => ({ path: `${i}\n${long.slice(0, 300)}`, how: "added", mode: "symlink" }) as const,
    );
    const prompt = render({
      ticket: ticketOf("T-1", { title: long.slice(0, 200), body: long }),
      paths,
      diff: long.slice(0, DIFF_CHARS + 3_000),
    });
    expect(prompt.length).toBeLessThan(QUESTION_CHARS);
    expect(prompt).toContain("[… 184000 characters cut …]");
    expect(prompt).toContain('added "0\\nyyy');
    expect(() => render({ diff: long })).toThrow("120000 is the most");
  });

  test("stays within its budget where hundreds of files are cut, each with a mark", () => {
    const name = (i: number) => `packages/an-application/source/components/part-${i}.generated.ts`;
    const file = (i: number) => `diff --git a/${name(i)} b/${name(i)}\n@@ -0,0 +1,40 @@\n${"+const a = 1;\n".repeat(40)}`;
    const count = Array.from({ length: 600 });
    const { text, whole } = showDiff(readPatch(count.map((_, i) => file(i)).join("")), DIFF_CHARS);
    expect(whole).toBe(false);
    const paths = count.map((_, i) => ({ path: name(i), how: "added", mode: "file" }) as const);
    const ticket = ticketOf("T-1", { body: "y".repeat(20_000) });
    expect(render({ diff: text, paths, ticket }).length).toBeLessThan(QUESTION_CHARS);
  });
});
