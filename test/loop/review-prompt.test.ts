import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPatch, showDiff } from "../../src/domain/review/diff.ts";
import { approvable, DIFF_CHARS, QUESTION_CHARS, renderQuestion } from "../../src/loop/questions/question-prompt.ts";
import { ticketOf } from "../domain/simulate.ts";
import { ADVERSARY_PROMPT, REVIEWER_PROMPT } from "./review-stage.ts";

test("a reviewer approves files whose lines it sees, and whose names fit into its list", () => {
  expect(approvable(["a.test.ts", "logo.png", "lib/x.SO", "Makefile", "data.wasm"])).toEqual(["a.test.ts", "Makefile"]);
  expect(approvable(Array.from({ length: 150 }, (_, i) => `${i}.ts`))).toEqual([]);
  expect(approvable([`${"x".repeat(5_000)}.ts`])).toEqual([]);
  expect(approvable([`${"\u202e".repeat(900)}.ts`])).toEqual([]);
});

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

  test("lists what judges first, hides nothing in a name or in the ticket, and the command shows sources as text", () => {
    const many = Array.from({ length: 300 }, (_, i) => ({ path: `a${i}`, how: "added", mode: "file" }) as const);
    const prompt = render({
      paths: [...many, { path: "z\u202e\u200b.mjs", how: "modified", mode: "executable" }],
      judges: ["z\u202e\u200b.mjs"],
      ticket: ticketOf("T-1", { body: "do it\u{e0041}\u{e0042}" }),
    });
    expect(prompt).toContain(
      'paths 0123456789abcdef0123456789abcdef\nmodified "z<U+202E><U+200B>.mjs" (executable, judges this change)\nadded "a0"',
    );
    expect(prompt).toContain("do it<U+E0041><U+E0042>");
    expect(prompt).toMatch(/`git -C \S+ diff --text \w+ \w+` shows it whole/);
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
