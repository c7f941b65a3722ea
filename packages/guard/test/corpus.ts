import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Family } from "../src/rule-table.ts";
import type { GuardContext } from "../src/verdict.ts";

/** One command of a corpus, and what the guard must say of it. */
interface GuardCase {
  readonly command: string;
  readonly verdict: "allow" | "block";
  /** The family whose rule blocks it. */
  readonly family?: Family;
}

/** Where the commands of the corpora would run. */
export const CONTEXT: GuardContext = { cwd: "/home/dev/app", worktree: "/home/dev/app", home: "/home/dev" };

function read(name: string): readonly GuardCase[] {
  const path = join(import.meta.dirname, "corpora", `${name}.jsonl`);
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): GuardCase => JSON.parse(line));
}

export const DANGEROUS = read("dangerous");
export const LOOK_ALIKE = read("look-alike");
export const BENIGN = read("benign");
