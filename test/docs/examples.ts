import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { nodeValue, readSyntax } from "../../src/domain/batch/syntax.ts";

export const ROOT = resolve(import.meta.dirname, "../..");

/** A block of code in a page. */
export interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

/** The blocks of the README and of docs/, in order. */
export const BLOCKS: readonly Block[] = ["README.md", ...globSync("docs/**/*.md", { cwd: ROOT }).toSorted()].flatMap((page) =>
  [...readFileSync(join(ROOT, page), "utf8").matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
    page,
    language,
    text,
  })),
);

/** An example that no test executes: its page, how it begins, and the reason. */
interface Excused {
  readonly page: string;
  readonly begins: string;
  readonly reason: string;
}

/** A new example that no test can execute goes here. One that is not here and cannot be executed fails. */
export const EXCUSED: readonly Excused[] = [
  { page: "README.md", begins: "npm ci && npm start", reason: ".ci/run is these lines, and no test can start itself" },
  { page: "docs/use/ci.md", begins: '"repos": {', reason: "its branch is at GitHub; test/e2e/ci.test.ts runs one at a stand-in" },
  {
    page: "docs/use/forges.md",
    begins: '"repos": {\n  "app": {"path": "../app", "base": "main", "forge": {"kind": "push"',
    reason: "its remote is the reader's own; test/e2e/push-forge.test.ts runs one",
  },
  {
    page: "docs/use/forges.md",
    begins: '"repos": {\n  "app": {"path": "../app", "base": "main", "forge": {"kind": "github"',
    reason: "its repository is at GitHub; test/e2e/github-forge.test.ts runs one at a stand-in",
  },
  {
    page: "docs/use/notices.md",
    begins: '"secrets": {',
    reason: "its receivers are the reader's own; test/e2e/notices.test.ts runs stand-ins",
  },
  {
    page: "docs/use/bound.md",
    begins: "# BOUND",
    reason: "test/docs/snippets.test.ts reads it; test/e2e/bound-run.test.ts runs one",
  },
  {
    page: "docs/use/repositories.md",
    begins: '"finish": [\n  {"step": "gates"},\n  {"step": "check", "name": "pre-commit"',
    reason: "its program is the reader's own; test/e2e/hooks.test.ts runs a hook as a check",
  },
  { page: "docs/use/bound.md", begins: "loopdash bound approve", reason: "test/e2e/bound-run.test.ts runs both commands" },
  { page: "docs/use/bundles.md", begins: "loopdash verify-journal", reason: "test/e2e/bundle.test.ts runs both commands" },
  {
    page: "docs/use/contracts.md",
    begins: "---\ncriteria:",
    reason: "test/docs/snippets.test.ts reads it; test/e2e/contract.test.ts runs one",
  },
  {
    page: "docs/use/lint.md",
    begins: '{\n  "rules": [',
    reason: "test/docs/snippets.test.ts reads it; test/e2e/lint.test.ts runs each rule",
  },
  {
    page: "docs/use/lint.md",
    begins: '"finish": [{"step": "check", "name": "lint"',
    reason: "its repository has loopdash among its dependencies; test/e2e/lint.test.ts runs such a step",
  },
  { page: "docs/use/lint.md", begins: "loopdash lint ", reason: "test/e2e/lint.test.ts runs each of them" },
  { page: "docs/use/lint.md", begins: "- run: npx loopdash lint", reason: "only GitHub Actions runs a workflow" },
  { page: "docs/use/audit.md", begins: "jq -r", reason: "test/e2e/audit.test.ts reads the rows and proves them" },
  { page: "docs/use/guard.md", begins: "✖ T-4  guard blocked", reason: "test/e2e/guard-run.test.ts sees such a line" },
  { page: "docs/use/guard.md", begins: '"$LOOPDASH_GUARD"', reason: "test/e2e/guard-run.test.ts calls it in an agent" },
  { page: "docs/use/guard.md", begins: "while unmet=", reason: "test/e2e/guard-run.test.ts calls it in an agent" },
  { page: "docs/install.md", begins: "npm run build", reason: "test/e2e/single-file.test.ts makes both files" },
  { page: "docs/use/stops.md", begins: "base of app at", reason: "test/e2e/measured-base.test.ts sees such lines" },
];

export function isExcused({ page, text }: Block): boolean {
  return EXCUSED.some((excused) => excused.page === page && text.startsWith(excused.begins));
}

/** A batch, or a part of one that is merged into a base. */
export interface BatchExample {
  readonly page: string;
  /** The beginning of the example, which names its test. */
  readonly name: string;
  /** The text as it stands in the page. */
  readonly text: string;
  readonly isWhole: boolean;
  /** Its keys. */
  readonly batch: Readonly<Record<string, unknown>>;
  /** True if its agent or reviewer is a vendor's program. */
  readonly isVendors: boolean;
}

/** The text of a person's keys; everything else in JSON is a batch or a part of one. */
export function isKeys({ page }: Block): boolean {
  return page === "docs/reference/keys.md";
}

function read(text: string): Readonly<Record<string, unknown>> {
  const syntax = readSyntax(text.trim().startsWith("{") ? text : `{${text}}`);
  if (!syntax.ok) throw new Error(`it is no JSON with comments: ${text}`);
  return nodeValue(syntax.root) as Record<string, unknown>;
}

/** The service that keeps the tickets of a batch, which has no list of them then; undefined if none does. */
export function serviceOf(batch: Readonly<Record<string, unknown>>): "linear" | "github" | undefined {
  const kind = (batch["tracker"] as { readonly kind?: unknown } | undefined)?.kind;
  return kind === "linear" || kind === "github" ? kind : undefined;
}

const isJson = ({ language }: Block): boolean => language === "json" || language === "jsonc";
const isVendor = (spec: unknown): boolean => spec !== undefined && (spec as { kind?: string }).kind !== "command";

/** Every batch of the pages, and every part of one, but for those that are excused. */
export const BATCHES: readonly BatchExample[] = BLOCKS.filter(
  (block) => isJson(block) && !isKeys(block) && !isExcused(block),
).map(({ page, text }) => {
  const batch = read(text);
  const name = text.replaceAll(/\s+/g, " ").trim().slice(0, 70);
  const isVendors = isVendor(batch["agent"]) || isVendor(batch["reviewer"]);
  const isWhole = batch["tickets"] !== undefined || (serviceOf(batch) !== undefined && batch["agent"] !== undefined);
  return { page, name, text, isWhole, batch, isVendors };
});

/** The text of a batch: the example as it stands, with the keys of a base that a part lacks before it. */
export function wholeText({ text, isWhole, batch }: BatchExample, base: Readonly<Record<string, unknown>>): string {
  if (isWhole) return text;
  const isListed = serviceOf(batch) === undefined;
  const missing = Object.entries(base).filter(([key]) => batch[key] === undefined && (isListed || key !== "tickets"));
  const part = text.trim().replace(/^\{([^]*)\}$/, "$1");
  return `{\n${missing.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)},\n`).join("")}${part}\n}\n`;
}
