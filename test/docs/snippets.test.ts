import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parseContractText } from "../../src/adapters/contract/contract-file.ts";
import { keymapFrom } from "../../src/cli/key-file-text.ts";
import { readContract } from "../../src/domain/batch/read-contract.ts";
import { nodeValue, readSyntax } from "../../src/domain/batch/syntax.ts";
import { parseBound } from "../../src/domain/bound/parse-bound.ts";
import { LintFile } from "../../src/domain/lint/lint-spec.ts";
import { Adjudication } from "../../src/domain/outbox/ruling.ts";
import { readAnswer } from "../../src/domain/review/answer.ts";
import { Attack } from "../../src/domain/review/attack.ts";
import { Review } from "../../src/domain/review/review.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { renderAdjudicatorPrompt } from "../../src/loop/questions/adjudicator-prompt.ts";
import { renderQuestion } from "../../src/loop/questions/question-prompt.ts";
import { batchText, told } from "../domain/batch/sample.ts";
import { ticketOf } from "../domain/simulate.ts";
import { serviceOf } from "./examples.ts";

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

test("the boundaries of the pages are read whole", () => {
  const [bound, ...more] = blocks("markdown").filter(([page]) => page === "docs/use/bound.md");
  expect(more).toEqual([]);
  const read = parseBound(bound?.[1] ?? "");
  expect(read).toMatchObject({ ok: true, bound: { zones: [{}, {}, {}], neverDo: [{}], ironLaws: [{}, {}] } });
});

test("the contracts of the pages are valid", () => {
  const contracts = blocks("markdown").filter(([, text]) => text.startsWith("---\ncriteria:"));
  expect(contracts.length).toBeGreaterThan(0);
  for (const [page, text] of contracts)
    expect(readContract(page, parseContractText(text), { taken: [], hosts: [] }), page).toMatchObject({ ok: true });
});

test("each page about batches shows a whole one", () => {
  const pages = new Set(batches.map(([page]) => page));
  for (const page of ["README.md", "docs/use/live-checks.md", "docs/use/reviewer.md", "docs/use/secrets.md", "docs/use/stops.md"])
    expect(pages).toContain(page);
});

test.each(batches)("a batch in %s can be run", (_, text) => {
  expect(told(text)).toBe("");
});

/** Every block of JSON on a page, each with a hint of what it is. */
const examples = ["json", "jsonc"].flatMap(blocks).map(([page, text]) => [page, text.trim().slice(0, 60), text] as const);

test.each(examples)("an example in %s is what a reader takes it for: %s", (page, _, text) => {
  // The page on keys says so; everything else is a batch, a part of one, or a ticket to add.
  if (page === "docs/reference/keys.md") return expect(() => keymapFrom(text, "keys.json")).not.toThrow();
  if (page === "docs/use/lint.md" && text.includes('"rules"'))
    return expect(() => LintFile.parse(JSON.parse(text))).not.toThrow();
  if (text.includes('"tickets"')) return;
  const whole = text.trim().startsWith("{") ? text : `{${text}}`;
  const part = readSyntax(whole);
  expect(part.ok, "it is JSON with comments").toBe(true);
  if (!part.ok) return;
  const keys = nodeValue(part.root) as Record<string, unknown>;
  const folderTickets = serviceOf(keys) === undefined ? {} : { folderTickets: ISSUES };
  expect(told(batchText(keys), { folder: "/work/batches", ...folderTickets })).toBe("");
});

/** What a service has of the ticket that `batchText` lists. */
const ISSUES = [{ id: TicketId.parse("T-1"), title: "one", body: "", dependsOn: [], exclusive: [], file: "the tracker" }];

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

/** The prompts of the reviewer's questions, by question. */
const NONCE = "0123456789abcdef".repeat(2);
const TREE = "c".repeat(40);
const prompt = (name: string) => readFileSync(join(ROOT, `prompts/${name}.md`), "utf8");
const about = { ticket: ticketOf("T-1"), base: "b".repeat(40), commit: TREE, paths: [], diff: "", blocking: "high" } as const;
const blocker = { claim: "c", wall: "w", evidence: [], tried: "t", humanStep: "s" };
const QUESTIONS = {
  review: { schema: Review, ask: (checkout: string) => renderQuestion(prompt("reviewer"), about, { nonce: NONCE, checkout }) },
  adversary: {
    schema: Attack,
    ask: (checkout: string) => renderQuestion(prompt("adversary"), about, { nonce: NONCE, checkout }),
  },
  adjudicate: {
    schema: Adjudication,
    ask: (checkout: string) =>
      renderAdjudicatorPrompt(prompt("adjudicator"), {
        ...{ ticket: about.ticket, claim: blocker, replays: [], paths: [], commit: TREE, checkout, nonce: NONCE },
      }),
  },
} as const;

describe.each(Object.entries(QUESTIONS))("the reviewer's page on %s", (question, { schema, ask }) => {
  const read = (text: string) => readAnswer<{ nonce: string; tree: string }>(text, { nonce: NONCE, tree: TREE, schema });

  test("has a smallest program whose answer counts", () => {
    const [, script] = blocks("js").find(([page]) => page === "docs/use/reviewer.md") ?? [];
    expect(script).toBeDefined();
    const folder = mkdtempSync(join(tmpdir(), "loopdash-docs-"));
    try {
      writeFileSync(join(folder, "prompt.md"), ask(folder));
      writeFileSync(join(folder, "reviewer.mjs"), script ?? "");
      const env = { LOOPDASH_PROMPT: join(folder, "prompt.md"), LOOPDASH_QUESTION: question };
      expect(read(execFileSync(process.execPath, [join(folder, "reviewer.mjs")], { env, encoding: "utf8" })).ok).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
