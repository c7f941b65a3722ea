import { z } from "zod";
import { isRelativePath } from "../bundle/bundle.ts";

/** The file with a repository's invariants, at its top. */
export const LINT_FILE = "loopdash.lint.json";

const id = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, "must be small letters, digits and hyphens, such as needs-licence")
  .describe("The rule's name in findings");
const path = z.string().refine(isRelativePath, "must be a path below the repository, with / and without ..");
const globs = z
  .array(z.string().min(1).max(500))
  .min(1)
  .max(200)
  .describe("Tracked files by glob, from the top of the repository");
const severity = z.enum(["error", "warn", "off"]);
const hash = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits; loopdash lint --fix --accept writes it");
const most = z.number().int().min(1);

const Rule = z.discriminatedUnion("check", [
  z.strictObject({
    check: z.literal("required").describe("These files must be there"),
    id,
    severity: severity.default("error"),
    files: z.array(path).min(1).max(1_000).describe("Paths of tracked files"),
  }),
  z.strictObject({
    check: z.literal("protected").describe("These files must have the recorded content"),
    id,
    severity: severity.default("error"),
    files: z.record(path, z.union([hash, z.null()])).describe("sha256 by path; null if it is not recorded yet"),
  }),
  z.strictObject({
    check: z.literal("generated").describe("A part of a file must be what a command prints"),
    id,
    severity: severity.default("error"),
    file: path,
    begin: z.string().min(1).max(200).describe("A line before the part has this text"),
    end: z.string().min(1).max(200).describe("A line after the part has this text"),
    command: z.array(z.string().min(1)).min(1).describe("Program and arguments, run at the top of the repository"),
  }),
  z.strictObject({
    check: z.literal("valid").describe("These files must be valid"),
    id,
    severity: severity.default("error"),
    files: globs,
    not: globs.optional().describe("Files that are left out"),
    format: z.enum(["json", "jsonc", "yaml"]).describe("The format of all of them"),
  }),
  z.strictObject({
    check: z.literal("budget").describe("Texts that an agent reads at every start must be short"),
    id,
    severity: severity.default("warn"),
    files: globs,
    lines: most.optional(),
    words: most.optional(),
    tokens: most.optional().describe("Estimated as words × 1.3"),
  }),
]);
export type LintRule = z.infer<typeof Rule>;
export type LintRuleOf<K extends LintRule["check"]> = Extract<LintRule, { check: K }>;

export const LintFile = z.strictObject({
  $schema: z.string().optional(),
  rules: z.array(Rule).max(500),
});

/** JSON with comments by the programs that read it, whatever its ending says. */
const COMMENTED = [
  "**/tsconfig*.json",
  "**/jsconfig*.json",
  "**/.vscode/*.json",
  "**/devcontainer.json",
  "**/.devcontainer/**/*.json",
];
/** Folders whose files may be broken on purpose. */
const SAMPLES = ["**/{test,tests,__tests__,spec,fixtures,__fixtures__,testdata,vendor,node_modules}/**"];
const TEXTS = ["**/AGENTS.md", "**/CLAUDE.md", "**/GEMINI.md"];

/**
 * The rules of a repository without a configuration, which hold anywhere. The budget is that of S2.9: some 400 lines and 1,700 words. Files
 * of Helm's `templates` are no YAML yet.
 */
export const DEFAULT_RULES: readonly LintRule[] = [
  { check: "valid", id: "json", severity: "error", files: ["**/*.json"], not: [...COMMENTED, ...SAMPLES], format: "json" },
  { check: "valid", id: "jsonc", severity: "error", files: [...COMMENTED, "**/*.jsonc"], not: SAMPLES, format: "jsonc" },
  {
    check: "valid",
    id: "yaml",
    severity: "error",
    files: ["**/*.{yml,yaml}"],
    not: [...SAMPLES, "**/templates/**"],
    format: "yaml",
  },
  { check: "budget", id: "prompt-budget", severity: "warn", files: TEXTS, lines: 400, words: 1_700 },
];

/** JSON Schema of the configuration, for editors. */
export function lintJsonSchema(): Readonly<Record<string, unknown>> {
  return { title: "loopdash lint", description: "Invariants of a repository", ...z.toJSONSchema(LintFile, { io: "input" }) };
}
