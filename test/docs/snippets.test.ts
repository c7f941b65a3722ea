import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { readAnswer } from "../../src/domain/review/answer.ts";
import { Review } from "../../src/domain/review/review.ts";
import { renderQuestion } from "../../src/loop/questions/question-prompt.ts";
import { told } from "../domain/batch/sample.ts";
import { ticketOf } from "../domain/simulate.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PAGES = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
];

/** Blocks of code in a language, by page. */
function blocks(language: string): readonly (readonly [page: string, text: string])[] {
  const fenced = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm");
  return PAGES.filter((page) => page.endsWith(".md")).flatMap((page) =>
    [...readFileSync(join(ROOT, page), "utf8").matchAll(fenced)].map(([, text]) => [page, text ?? ""] as const),
  );
}

const batches = blocks("jsonc").filter(([, text]) => text.includes('"tickets"'));

test("each page about batches shows a whole one", () => {
  const pages = new Set(batches.map(([page]) => page));
  for (const page of [
    "README.md",
    "docs/live-checks.md",
    "docs/outbox.md",
    "docs/reviewer.md",
    "docs/self-heal.md",
    "docs/stops.md",
  ])
    expect(pages).toContain(page);
});

test.each(batches)("a batch in %s can be run", (_, text) => {
  expect(told(text)).toBe("");
});

describe("links", () => {
  test.each(PAGES.filter((page) => page.endsWith(".md")))("of %s lead to files, and to headings in them", (page) => {
    const text = readFileSync(join(ROOT, page), "utf8");
    for (const [, link = ""] of text.matchAll(/\]\(((?!https?:)[^)\s]+)\)/g)) {
      const [file = "", heading] = link.split("#");
      const target = file === "" ? join(ROOT, page) : resolve(join(ROOT, page), "..", file);
      expect(existsSync(target), `${page}: ${link}`).toBe(true);
      if (heading !== undefined) expect(headings(readFileSync(target, "utf8")), `${page}: ${link}`).toContain(heading);
    }
  });
});

/** The anchors of a page's headings, as they are made from their words. */
function headings(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, words = ""]) =>
    words
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replace(/ /g, "-"),
  );
}

test("the smallest reviewer of the page gives an answer that counts", () => {
  const [, script] = blocks("js").find(([page]) => page === "docs/reviewer.md") ?? [];
  expect(script).toBeDefined();
  const folder = mkdtempSync(join(tmpdir(), "loopdash-docs-"));
  try {
    const tree = "c".repeat(40);
    const nonce = "0123456789abcdef".repeat(2);
    const about = { ticket: ticketOf("T-1"), base: "b".repeat(40), commit: tree, paths: [], diff: "", blocking: "high" } as const;
    const template = readFileSync(join(ROOT, "prompts/reviewer.md"), "utf8");
    writeFileSync(join(folder, "prompt.md"), renderQuestion(template, about, { nonce, checkout: folder }));
    writeFileSync(join(folder, "reviewer.mjs"), script ?? "");
    const env = { LOOPDASH_PROMPT: join(folder, "prompt.md"), LOOPDASH_QUESTION: "review" };
    const answer = execFileSync(process.execPath, [join(folder, "reviewer.mjs")], { env, encoding: "utf8" });
    expect(readAnswer(answer, { nonce, tree, schema: Review })).toMatchObject({ ok: true, value: { verdict: "pass" } });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
