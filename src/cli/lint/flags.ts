import type { Command } from "commander";
import { usageError } from "../usage-error.ts";

/** The request of `loopdash lint`. */
export interface LintFlags {
  readonly folder: string;
  readonly fix: boolean;
  readonly accept: boolean;
  readonly strict: boolean;
  readonly json: boolean;
}

const MORE = `
Checks the invariants in loopdash.lint.json at the top of the repository: required files, protected files,
generated parts, valid JSON and YAML, budgets of AGENTS.md and the like. Without that file, only the last two.
Exit 0 without an error, 1 with one, 2 for a bad configuration. More: docs/use/lint.md.`;

/** Adds the verb `lint` to the command line. */
export function addLint(program: Command, onFlags: (flags: LintFlags) => void): void {
  program
    .command("lint [path]")
    .description("check a repository's own invariants")
    .option("--fix", "write generated parts anew")
    .option("--accept", "with --fix: record the present hashes of protected files")
    .option("--strict", "exit 1 for warnings too")
    .option("--json", "as JSON")
    .addHelpText("after", MORE)
    .action((folder: string | undefined, flags: Partial<Record<"fix" | "accept" | "strict" | "json", true>>) => {
      const { fix = false, accept = false, strict = false, json = false } = flags;
      if (accept && !fix)
        throw usageError(
          "--accept goes with --fix",
          "it records hashes in loopdash.lint.json",
          "Try: loopdash lint --fix --accept",
        );
      onFlags({ folder: folder ?? ".", fix, accept, strict, json });
    });
}
