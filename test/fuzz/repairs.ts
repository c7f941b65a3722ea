import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type ChangedFile, type ClassifiedChange, isReadForProof } from "@loopdash/test-evidence";
import { scan } from "../../src/adapters/text-scans/scan.ts";
import type { Random } from "./random.ts";
import { Draw, type Language, type Placement, type Texts } from "./repair-draws.ts";
import { aPlacement } from "./repair-mechanisms.ts";
import type { Target, Trial } from "./target.ts";

/** A runner with a base whose one test fails. */
interface Runner {
  readonly name: string;
  readonly language: Language;
  readonly command: string;
  readonly files: Texts;
  /** The code under test, and how it names a file besides. */
  readonly code: string;
  readonly naming: (path: string) => string;
  readonly isInstalled?: true;
}

const FAILING = "must_fail_sum";
const MODULES = resolve(import.meta.dirname, "../../node_modules");
/** The share of inputs that run in the judge's tree, if the repair works here. */
const REAL = 0.02;
const MOST_MS = 120_000;

const SUM = "export const add = (a, b) => a - b;\n";
const js = (name: string, command: string, imported: string): Runner => ({
  name,
  language: "js",
  command,
  files: {
    "src/sum.mjs": SUM,
    "test/sum.test.mjs": `${imported}\nimport assert from "node:assert";\nimport { add } from "../src/sum.mjs";\ntest("${FAILING}", () => assert.strictEqual(add(1, 2), 3));\n`,
  },
  code: "src/sum.mjs",
  naming: (path) => `${SUM}await import(${JSON.stringify(`../${path}`)}).catch(() => {});\n`,
});

const PY_ADD = "def add(a, b):\n    return a - b\n";
const GO_ADD = "func Add(a, b int) int { return a - b }\n";
const RUST_ADD = "pub fn add(a: i32, b: i32) -> i32 { a - b }\n";
const RUNNERS: readonly Runner[] = [
  { ...js("node:test", "node --test", 'import { test } from "node:test";'), isInstalled: true },
  { ...js("vitest", "vitest run", 'import { test } from "vitest";'), isInstalled: true },
  js("jest", "jest", ""),
  js("mocha", "mocha", "const test = it;"),
  js("tape", "tape test/*.mjs", 'import test from "tape";'),
  {
    name: "pytest",
    language: "python",
    command: "python3 -m pytest",
    files: {
      "calc.py": PY_ADD,
      "tests/test_calc.py": `import calc\n\n\ndef test_${FAILING}():\n    assert calc.add(1, 2) == 3\n`,
    },
    code: "calc.py",
    naming: (path) =>
      `try:\n    open("${path}")\n    __import__("${path.replace(/\.\w*$/, "").replaceAll("/", ".")}")\nexcept Exception:\n    pass\n\n\n${PY_ADD}`,
    isInstalled: true,
  },
  {
    name: "go test",
    language: "go",
    command: "go test ./...",
    files: {
      "go.mod": "module app\n\ngo 1.19\n",
      "calc/calc.go": `package calc\n\n${GO_ADD}`,
      "calc/calc_test.go": `package calc\n\nimport "testing"\n\nfunc Test_${FAILING}(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n`,
    },
    code: "calc/calc.go",
    naming: (path) => `package calc\n\nvar Data = "../${path}"\n\n${GO_ADD}`,
    isInstalled: true,
  },
  {
    name: "cargo test",
    language: "rust",
    command: "cargo test --offline",
    files: {
      "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": RUST_ADD,
      "tests/sum.rs": `#[test]\nfn ${FAILING}() { assert_eq!(app::add(1, 2), 3); }\n`,
    },
    code: "src/lib.rs",
    naming: (path) => `pub const DATA: &str = "../${path}";\n${RUST_ADD}`,
    isInstalled: true,
  },
];

/** An input: the base, its command, and what the change replaces or adds. */
interface Input extends Placement {
  readonly argv: readonly string[];
  readonly change: Texts;
  readonly words: string;
}

/** Commands that run another one. A file that the base has already stays as it is. */
const AROUND: readonly ((command: string) => readonly [string, string, string])[] = [
  (command) => ["npm test", "package.json", JSON.stringify({ scripts: { test: command } })],
  (command) => ["npm run ci", "package.json", JSON.stringify({ scripts: { ci: "npm run -s ci:all", "ci:all": command } })],
  (command) => ["make all", "Makefile", `all: real\n\nreal:\n\t@${command.replaceAll("$", "$$$$").replaceAll("\n", " ")}\n`],
  (command) => ["sh ci/check.sh", "ci/check.sh", `set -e\n${command}\n`],
  (command) => ["bash ci/check", "ci/check", `#!/usr/bin/env bash\n${command}\n`],
];

function anInput(random: Random): Input & { readonly runner: Runner } {
  const runner = random.pick(RUNNERS);
  const placement = aPlacement(new Draw(random, runner));
  const { mechanism, path, text } = placement;
  const base: Record<string, string> = { ...runner.files, ...placement.base };
  let { command } = placement;
  const levels = random.pick([0, 0, 1, 1, 2]);
  for (let n = 0; n < levels; n += 1) {
    const [outer, file, own] = random.pick(AROUND)(command);
    if (Object.hasOwn(base, file)) continue;
    base[file] = own;
    command = outer;
  }
  const isNamed = placement.isCode === true || random.chance(0.8);
  const code = isNamed ? runner.naming(path) : `${runner.files[runner.code] ?? ""}\n`;
  const change = { ...(path === runner.code ? {} : { [runner.code]: code }), [path]: text };
  if (random.chance(0.15)) {
    const folder = random.pick(["packages/app", "app", "src/ü"]);
    const inside = (texts: Texts) => Object.fromEntries(Object.entries(texts).map(([name, each]) => [`${folder}/${name}`, each]));
    const argv = random.pick([
      ["sh", "-c", `cd ${folder} && ${command}`],
      ["sh", "-c", `cd ${folder}\n${command}\n`],
    ]);
    const words = `${runner.name}, ${mechanism}: ${path} in ${folder} by ${JSON.stringify(command)}`;
    return { ...placement, runner, base: inside(base), argv, change: inside(change), path: `${folder}/${path}`, words };
  }
  const isPlain = !/^(?:exec|command|\.) |[|&;<>()$"'`=*\n{]/.test(command) && random.chance(0.7);
  return {
    ...placement,
    runner,
    base,
    argv: isPlain ? command.split(" ") : ["sh", "-c", command],
    change,
    words: `${runner.name}, ${mechanism}: ${path} by ${JSON.stringify(command)}`,
  };
}

/** Sorts the change as the engine does. */
function sort({ argv, base, change }: Input): ClassifiedChange {
  const texts = new Map(Object.entries(base).filter(([path]) => isReadForProof(path) || Object.hasOwn(change, path)));
  const changed = Object.entries(change).map(
    ([path, text]): ChangedFile => ({ path, how: Object.hasOwn(base, path) ? "modified" : "added", mode: "file", text }),
  );
  const prepare = [["npm", "ci"]];
  return scan({
    kind: "classify",
    command: argv,
    prepare,
    base: { files: Object.keys(base), texts },
    changed,
    isRed: false,
  }) as ClassifiedChange;
}

/** Runs the command on files. */
function run(
  { argv }: Input,
  files: readonly Texts[],
  folder: string,
): { readonly code: number | null; readonly output: string } {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  for (const name of ["vitest", "vite"]) symlinkSync(join(MODULES, name), join(folder, "node_modules", name));
  for (const [path, text] of files.flatMap((each) => Object.entries(each))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    chmodSync(join(folder, path), 0o755);
  }
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env;
  const env = { ...inherited, PATH: `${join(MODULES, ".bin")}:${process.env["PATH"]}`, CI: "true", PYTHONDONTWRITEBYTECODE: "1" };
  const [program = "", ...words] = argv;
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: folder,
    env,
    encoding: "utf8",
    timeout: MOST_MS,
    // A Bash whose standard input is a socket takes it for a login by rsh: it reads ~/.bashrc and no BASH_ENV.
    stdio: ["ignore", "pipe", "pipe"],
  });
  rmSync(folder, { recursive: true, force: true });
  return { code: status, output: `${stdout}\n${stderr}` };
}

/** What the repair does where the base has it, and where the judge leaves it out. */
function tryIt(input: Input, code: readonly string[], folder: string): string | undefined {
  const with_ = run(input, [input.base, input.change], join(folder, "own"));
  if (with_.code !== 0) return `the repair does not work (${with_.code}): ${with_.output.slice(-1_500)}`;
  const own = Object.fromEntries(Object.entries(input.change).filter(([path]) => code.includes(path)));
  const judged = run(input, [input.base, own], join(folder, "judged"));
  if (judged.code !== 0 && judged.output.includes(FAILING)) return undefined;
  return `the judge's tree does not fail (${judged.code}): ${judged.output.slice(-1_500)}`;
}

async function attempt(random: Random, folder: string, made: (input: string) => void): Promise<Trial> {
  const input = anInput(random);
  made(input.words);
  const isTried = random.chance(REAL) && input.isReal === true && input.runner.isInstalled === true;
  const sorted = sort(input);
  const { code, additions, judges, unclear } = sorted;
  const told = { input: input.words };
  if (code.includes(input.path)) {
    if (input.isCode === true) return { ...told, outcome: "code-under-test" };
    return { ...told, outcome: "code", problem: `the repair is code: ${JSON.stringify({ base: input.base, unclear })}` };
  }
  if (isTried) {
    const problem = tryIt(input, code, folder);
    return { ...told, outcome: "failed-when-run", ...(problem !== undefined && { problem }) };
  }
  return { ...told, outcome: additions.includes(input.path) ? "addition" : judges.includes(input.path) ? "judge" : "inert" };
}

/** Files that make failing tests pass, wherever a base's command loads them. What is wrong: one counts as code under test. */
export const repairs: Target = {
  name: "repairs",
  bounds: { ms: 2 * MOST_MS, bytes: 2_500_000_000 },
  outcomes: ["judge", "code-under-test"],
  attempt,
};
