import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseJsonResults } from "../../../src/reports/json-results.ts";
import { parseJunit } from "../../../src/reports/junit.ts";
import { parseTap } from "../../../src/reports/tap.ts";

/** The result of a real run: outcomes by the last part of each test's id, and the exit code. */
export interface RealRun {
  readonly outcomes: ReadonlyMap<string, readonly string[]>;
  readonly exitCode: number | null;
}

type Ran = { readonly stdout: string; readonly stderr: string; readonly status: number | null };
type Outcome = readonly [name: string, outcome: string];

const ROOT = new URL("../../../../..", import.meta.url).pathname;

/** The command of each runner, and how its report is read. */
const RUNS: Readonly<
  Record<string, { readonly command: readonly string[]; readonly read: (ran: Ran, folder: string) => readonly Outcome[] }>
> = {
  "node:test": {
    command: [process.execPath, "--test", "--test-reporter=tap", "test/sum.test.mjs"],
    read: ({ stdout }, folder) => parseTap(stdout, [folder]).tests.map(({ id, outcome }) => [id, outcome]),
  },
  node: { command: [process.execPath, "test/sum.test.mjs"], read: () => [] },
  vitest: {
    command: [process.execPath, join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--reporter=json", "--outputFile=r.json"],
    read: (_, folder) =>
      parseJsonResults(readFileSync(join(folder, "r.json"), "utf8"), [folder]).tests.map(({ id, outcome }) => [id, outcome]),
  },
  pytest: {
    command: ["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=r.xml"],
    read: (_, folder) =>
      parseJunit(readFileSync(join(folder, "r.xml"), "utf8"), [folder]).tests.map(({ id, outcome }) => [id, outcome]),
  },
  "go test": {
    command: ["go", "test", "-v", "./..."],
    read: ({ stdout }) =>
      [...stdout.matchAll(/^--- (PASS|FAIL|SKIP): (\S+)/gm)].map(([, word, name = ""]) => [name, OUTCOMES[word ?? ""] ?? ""]),
  },
  "cargo test": {
    command: ["cargo", "test", "--offline"],
    read: ({ stdout }) =>
      [...stdout.matchAll(/^test (?:\S+::)?(\w+)(?: - should panic)? \.\.\. (\w+)/gm)].map(([, name = "", word]) => [
        name,
        OUTCOMES[word ?? ""] ?? "",
      ]),
  },
};

const OUTCOMES: Readonly<Record<string, string>> = {
  PASS: "passed",
  FAIL: "failed",
  SKIP: "skipped",
  ok: "passed",
  FAILED: "failed",
  ignored: "skipped",
};

/** Writes the files into a folder and runs a runner there. */
export function runReally(runner: string, folder: string, files: Readonly<Record<string, string>>): RealRun {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const report of ["r.json", "r.xml"]) rmSync(join(folder, report), { force: true });
  if (runner === "vitest") symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const { command, read } = RUNS[runner] ?? { command: [], read: () => [] };
  const [program = "", ...args] = command;
  // Without what the runner of these tests tells its own processes.
  const { PATH, HOME, CARGO_HOME, RUSTUP_HOME, GOCACHE } = process.env;
  const env = { PATH, HOME, CARGO_HOME, RUSTUP_HOME, GOCACHE, PYTHONDONTWRITEBYTECODE: "1" };
  const ran = spawnSync(program, args, { cwd: folder, encoding: "utf8", env });
  if (runner === "vitest") rmSync(join(folder, "node_modules"));
  const outcomes = new Map<string, string[]>();
  for (const [id, outcome] of readOr(() => read(ran, folder), `${ran.stdout}${ran.stderr}`)) {
    const name =
      id
        .split(/ > |::/)
        .at(-1)
        ?.replace(/\[.*\]$/, "") ?? "";
    outcomes.set(name, [...(outcomes.get(name) ?? []), outcome]);
  }
  return { outcomes, exitCode: ran.status };
}

function readOr(read: () => readonly Outcome[], output: string): readonly Outcome[] {
  try {
    return read();
  } catch (error) {
    throw new Error(`no report: ${output.slice(0, 3_000)}`, { cause: error });
  }
}
