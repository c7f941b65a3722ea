import { makeTests } from "@loopdash/test-evidence";
import { jsonMembers, objectMembers } from "@loopdash/values";
import type { Argv } from "./prepare-command.ts";

/** The files at the top of a repository that tell how its tests are run. */
export const TEST_COMMAND_FILES = [
  "package.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
  "pytest.ini",
  ".pytest.ini",
  "pyproject.toml",
  "setup.cfg",
  "tox.ini",
  "Makefile",
  "makefile",
  "GNUmakefile",
  "Cargo.toml",
  "go.mod",
  "noxfile.py",
  "deno.json",
  "deno.jsonc",
  "Gemfile",
  "composer.json",
  "pom.xml",
  "mvnw",
  "build.gradle",
  "build.gradle.kts",
  "gradlew",
] as const;

type Name = (typeof TEST_COMMAND_FILES)[number];

/** The texts of those files that a repository has. */
export type TestCommandFiles = ReadonlyMap<string, string>;

/**
 * The command by which a repository runs its own tests, without a shell; undefined if its files name none. The first of: the
 * script `test` of package.json, pytest, tox, nox, a Makefile's target `test` or `check`, Cargo, Go, Deno, RSpec, PHPUnit or Pest, Maven,
 * Gradle.
 */
export function findTestCommand(files: TestCommandFiles): Argv | undefined {
  const read = (name: Name): string | undefined => files.get(name);
  return packageScript(files) ?? pythonTests(read) ?? makeTarget(read) ?? nativeTests(read);
}

/** True for the text of a package.json that names packages which its tests may need. */
export function namesPackages(text: string): boolean {
  const { dependencies, devDependencies } = jsonMembers(text);
  return [dependencies, devDependencies].some((packages) => Object.keys(objectMembers(packages)).length > 0);
}

/** The script `test` that `npm init` writes (docs.npmjs.com/cli/commands/npm-init). */
const PLACEHOLDER = /no test specified/;

function packageScript(files: TestCommandFiles): Argv | undefined {
  const text = files.get("package.json" satisfies Name);
  const hasScript = text !== undefined && hasTestScript(text);
  if (!hasScript) return undefined;
  // `bun test` is Bun's own runner.
  const manager = findPackageManager(files);
  return manager === "bun" ? ["bun", "run", "test"] : [manager, "test"];
}

function hasTestScript(text: string): boolean {
  const { scripts } = jsonMembers(text);
  const test = objectMembers(scripts)["test"];
  return typeof test === "string" && test.trim() !== "" && !PLACEHOLDER.test(test);
}

const MANAGERS = ["npm", "pnpm", "yarn", "bun"] as const;

/** The package manager of a package.json: by its field `packageManager` (nodejs.org/api/corepack.html), else by the lock file. */
export function findPackageManager(files: TestCommandFiles): (typeof MANAGERS)[number] {
  const locks = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
  } as const satisfies Partial<Record<Name, (typeof MANAGERS)[number]>>;
  const { packageManager: field } = jsonMembers(files.get("package.json") ?? "");
  const named = MANAGERS.find((manager) => typeof field === "string" && field.startsWith(`${manager}@`));
  const lock = (Object.keys(locks) as (keyof typeof locks)[]).find((name) => files.has(name));
  return named ?? (lock === undefined ? "npm" : locks[lock]);
}

type Read = (name: Name) => string | undefined;

/** A word of a command line that starts pytest: `py.test` is its name before version 3. */
const RUNS_PYTEST = /^(?:[^#\r\n\u2028\u2029]*[\s/"'=,[])?(?:pytest|py\.test)(?![\w.-])/m;

/**
 * Places of pytest's settings (docs.pytest.org/en/stable/reference/customize.html), pytest among the dependencies, or tox as far
 * as it runs pytest; then tox, which makes environments of its own and so needs a network.
 */
function pythonTests(read: Read): Argv | undefined {
  const tox = read("tox.ini") ?? "";
  const project = read("pyproject.toml") ?? "";
  const isPytest =
    read("pytest.ini") !== undefined ||
    read(".pytest.ini") !== undefined ||
    /^[^\S\r\n\u2028\u2029]*\[pytest\]/m.test(tox) ||
    /^[^\S\r\n\u2028\u2029]*\[tool:pytest\]/m.test(read("setup.cfg") ?? "") ||
    /^[^\S\r\n\u2028\u2029]*\[tool\.pytest\b|^[^#\r\n\u2028\u2029]*\bpytest\b(?!-)/m.test(project);
  const isTox = /^[^\S\r\n\u2028\u2029]*\[(?:tox|testenv)\b/m.test(tox) || /^[^\S\r\n\u2028\u2029]*\[tool\.tox\b/m.test(project);
  if (isPytest || (isTox && RUNS_PYTEST.test(tox))) return ["python3", "-m", "pytest"];
  if (isTox) return ["tox"];
  return read("noxfile.py") === undefined ? undefined : ["nox"];
}

/** The first of the names that GNU make looks for decides (gnu.org/software/make/manual, 3.2). */
function makeTarget(read: Read): Argv | undefined {
  return makeTests(read("GNUmakefile") ?? read("makefile") ?? read("Makefile") ?? "");
}

function nativeTests(read: Read): Argv | undefined {
  if (read("Cargo.toml") !== undefined) return ["cargo", "test"];
  if (read("go.mod") !== undefined) return ["go", "test", "./..."];
  const deno = read("deno.json") ?? read("deno.jsonc");
  if (deno !== undefined)
    return objectMembers(jsonMembers(deno)["tasks"])["test"] === undefined ? ["deno", "test"] : ["deno", "task", "test"];
  if (/^[ \t]{0,20}gem[ (]["']rspec(?:-rails)?["']/m.test(read("Gemfile") ?? "")) return ["bundle", "exec", "rspec"];
  return phpTests(read("composer.json") ?? "") ?? jvmTests(read);
}

function phpTests(composer: string): Argv | undefined {
  const packages = ["require-dev", "require"].flatMap((key) => Object.keys(objectMembers(jsonMembers(composer)[key])));
  if (packages.includes("pestphp/pest")) return ["vendor/bin/pest"];
  return packages.includes("phpunit/phpunit") ? ["vendor/bin/phpunit"] : undefined;
}

/** By the wrapper that the repository has, else by the program. */
function jvmTests(read: Read): Argv | undefined {
  if (read("pom.xml") !== undefined) return [read("mvnw") === undefined ? "mvn" : "./mvnw", "-B", "test"];
  if ((read("build.gradle") ?? read("build.gradle.kts")) === undefined) return undefined;
  return [read("gradlew") === undefined ? "gradle" : "./gradlew", "test"];
}

/** Where `findTestCommand` has found a command, for people. */
export function testCommandSource(command: Argv): string {
  const [program = "", , afterBuild] = command;
  if (program === "make")
    return afterBuild === undefined ? "its Makefile" : `its Makefile, whose target ${afterBuild} does not build by itself`;
  const names: Readonly<Record<string, string>> = {
    python3: "its settings of pytest or tox",
    tox: "its settings of tox",
    cargo: "Cargo.toml",
    go: "go.mod",
    nox: "noxfile.py",
    deno: "deno.json",
    bundle: "its Gemfile",
    phpunit: "composer.json",
    pest: "composer.json",
    mvn: "pom.xml",
    mvnw: "pom.xml",
    gradle: "its build.gradle",
    gradlew: "its build.gradle",
  };
  return names[program.endsWith("/bin/python") ? "python3" : (program.split("/").at(-1) ?? "")] ?? "package.json";
}
