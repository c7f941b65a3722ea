import { jsonMembers, objectMembers } from "@loopdash/values";
import type { Argv } from "../batch/prepare-command.ts";
import { findPackageManager } from "../batch/test-command.ts";
import type { FixerKind } from "./ci-fact.ts";

/** A command of a repository itself that repairs what it can. */
export interface Fixer {
  /** For people. */
  readonly name: string;
  readonly kinds: readonly FixerKind[];
  readonly command: Argv;
}

/** The files at the top of a repository that tell which formatters and linters it has set up. */
export const FIXER_FILES = [
  "package.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
  "biome.json",
  "biome.jsonc",
  ...[".prettierrc", ".prettierrc.json", ".prettierrc.yml", ".prettierrc.yaml", ".prettierrc.js", ".prettierrc.mjs"],
  ...["prettier.config.js", "prettier.config.mjs", "prettier.config.ts"],
  ...["eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts"],
  ...[".eslintrc.json", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.yml"],
  "pyproject.toml",
  "ruff.toml",
  ".ruff.toml",
  ".isort.cfg",
  "go.mod",
  "Cargo.toml",
  ".rubocop.yml",
] as const;

/** The texts of those files that a repository has. */
export type FixerFiles = ReadonlyMap<string, string>;

/** A tool, the files or packages by which a repository has set it up, and its commands. */
interface Tool {
  readonly name: string;
  readonly kinds: readonly FixerKind[];
  readonly isSetUp: (files: FixerFiles) => boolean;
  /** Program and arguments; a program of npm lies in the checkout. */
  readonly command: Argv;
}

const npm = (program: string, ...args: string[]): Argv => [`node_modules/.bin/${program}`, ...args];
const hasFile = (pattern: RegExp) => (files: FixerFiles) => [...files.keys()].some((name) => pattern.test(name));
const hasTable = (table: RegExp) => (files: FixerFiles) => table.test(files.get("pyproject.toml") ?? "");
const isAny =
  (...conditions: readonly ((files: FixerFiles) => boolean)[]) =>
  (files: FixerFiles) =>
    conditions.some((condition) => condition(files));

/**
 * Tools by ecosystem, each by its own documentation of how files are changed in place. A linter comes before the formatter of the same
 * files. Only safe repairs: none has an option for unsafe ones.
 */
const TOOLS: readonly Tool[] = [
  {
    name: "biome",
    kinds: ["lint", "format"],
    isSetUp: hasFile(/^biome\.jsonc?$/),
    command: npm("biome", "check", "--write", "."),
  },
  {
    name: "eslint",
    kinds: ["lint"],
    isSetUp: isAny(hasFile(/^(?:eslint\.config|\.eslintrc)\./), hasMember("eslintConfig")),
    command: npm("eslint", "--fix", "."),
  },
  {
    name: "prettier",
    kinds: ["format"],
    isSetUp: isAny(hasFile(/^(?:\.prettierrc|prettier\.config\.)/), hasMember("prettier")),
    command: npm("prettier", "--write", "."),
  },
  {
    name: "ruff check",
    kinds: ["lint"],
    isSetUp: isAny(hasFile(/^\.?ruff\.toml$/), hasTable(/^\[tool\.ruff\b/m)),
    command: ["ruff", "check", "--fix", "."],
  },
  {
    name: "ruff format",
    kinds: ["format"],
    isSetUp: (files) =>
      isAny(hasFile(/^\.?ruff\.toml$/), hasTable(/^\[tool\.ruff\b/m))(files) && !hasTable(/^\[tool\.black\b/m)(files),
    command: ["ruff", "format", "."],
  },
  {
    name: "isort",
    kinds: ["format", "lint"],
    isSetUp: isAny(hasFile(/^\.isort\.cfg$/), hasTable(/^\[tool\.isort\b/m)),
    command: ["isort", "."],
  },
  { name: "black", kinds: ["format"], isSetUp: hasTable(/^\[tool\.black\b/m), command: ["black", "."] },
  { name: "gofmt", kinds: ["format", "lint"], isSetUp: hasFile(/^go\.mod$/), command: ["gofmt", "-w", "."] },
  { name: "cargo fmt", kinds: ["format"], isSetUp: hasFile(/^Cargo\.toml$/), command: ["cargo", "fmt", "--all"] },
  {
    name: "rubocop",
    kinds: ["lint", "format"],
    isSetUp: hasFile(/^\.rubocop\.yml$/),
    command: ["bundle", "exec", "rubocop", "--autocorrect"],
  },
];

function hasMember(name: string): (files: FixerFiles) => boolean {
  return (files) => jsonMembers(files.get("package.json") ?? "{}")[name] !== undefined;
}

/** Names of scripts of package.json that change files, by what they repair. The first that is there is taken. */
const SCRIPTS: Readonly<Record<FixerKind, readonly string[]>> = {
  lint: ["lint:fix", "lint-fix", "lint:write", "fix:lint", "eslint:fix", "fix"],
  format: ["format:fix", "format:write", "format", "fmt", "prettier:write", "prettier:fix", "fix:format", "fix"],
};

/** A script of such a name that only looks. */
const ONLY_LOOKS = /(?:^|\s)(?:--check|-c|-l|--list-different|--dry-run)(?:\s|$)/;

/**
 * The fixers that a repository has set up for these kinds, in order: its own scripts, and else the tools that its files configure.
 */
export function findFixers(files: FixerFiles, kinds: readonly FixerKind[]): readonly Fixer[] {
  const wanted = (["lint", "format"] as const).filter((kind) => kinds.includes(kind));
  const scripts = wanted.flatMap((kind) => scriptFor(files, kind));
  const own = [...new Map(scripts.map((fixer) => [fixer.name, fixer])).values()];
  const isCovered = (kind: FixerKind) => own.some((fixer) => fixer.kinds.includes(kind));
  const tools = TOOLS.filter(({ kinds: its, isSetUp, command: [program = ""] }) => {
    // A script of the repository says how its own tools of npm are called.
    const left = its.filter((kind) => wanted.includes(kind) && !(isCovered(kind) && program.startsWith("node_modules/")));
    return left.length > 0 && isSetUp(files);
  });
  return [...own, ...tools.map(({ name, kinds: its, command }) => ({ name, kinds: its, command }))];
}

function scriptFor(files: FixerFiles, kind: FixerKind): readonly Fixer[] {
  const scripts = objectMembers(jsonMembers(files.get("package.json") ?? "{}")["scripts"]);
  const name = SCRIPTS[kind].find((each) => {
    const text = scripts[each];
    return typeof text === "string" && text.trim() !== "" && !ONLY_LOOKS.test(text);
  });
  if (name === undefined) return [];
  const manager = findPackageManager(files);
  const kinds = name === "fix" ? (["lint", "format"] as const) : [kind];
  return [{ name: `${manager} run ${name}`, kinds, command: [manager, "run", name] }];
}
