import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../../..");

/** What a program printed and how it ended. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
}

/** Files for a runner to run, below `folder`. */
export function lay(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function run(folder: string, argv: readonly string[]): Ran {
  // A runner that runs under another one says so in its environment and behaves otherwise.
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, NO_COLOR: "1" };
  const { status, stdout } = spawnSync(process.execPath, argv, { cwd: folder, env, encoding: "utf8" });
  return { code: status, stdout };
}

/** Runs node's own test runner over the files of `folder`, with the report on stdout. */
export function nodeTest(folder: string, reporter: "tap" | "junit", ...args: readonly string[]): Ran {
  return run(folder, ["--test", `--test-reporter=${reporter}`, ...args]);
}

/** Runs this repository's own vitest over the files of `folder`. Gives its report. */
export function vitest(folder: string, reporter: "json" | "junit", ...args: readonly string[]): Ran {
  const file = join(folder, "report.out");
  try {
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const program = join(ROOT, "node_modules/vitest/vitest.mjs");
  const { code } = run(folder, [program, "run", "--root", folder, `--reporter=${reporter}`, `--outputFile=${file}`, ...args]);
  return { code, stdout: readFileSync(file, "utf8") };
}
