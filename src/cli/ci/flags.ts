import { type Command, Option } from "commander";
import { EXIT, UserError } from "../../domain/values/user-error.ts";

const ALLOWED = ["tests", "scripts", "configuration", "suppressions"] as const;

/** A thing that the checks depend on, and that a change may not alter unless a person allows it. */
export type Allowed = (typeof ALLOWED)[number];

/** The options of a loop over the checks of a branch. */
export interface CiFlags {
  /** A branch, or the number or the address of a pull request. */
  readonly target: string;
  readonly repo: string;
  readonly batch?: string;
  readonly workflow?: string;
  readonly agent?: string;
  readonly agentKey?: string;
  readonly maxIterations: number;
  readonly maxMinutes: number;
  readonly fixMode: "safe" | "report-only";
  /** The things that changes may take away from the checks. */
  readonly allow?: readonly Allowed[];
  readonly dryRun?: true;
  readonly headless?: true;
  readonly json?: true;
  readonly allowApiKey?: true;
}

/** Iterations of one loop; the engine allows no ticket more attempts. */
const MOST_ITERATIONS = 20;
/** Minutes of one loop: a week. */
const MOST_MINUTES = 7 * 24 * 60;

const MORE = `
ci reads the checks of the branch. If they fail, it repairs what the repository's own formatters and
linters can, then lets an agent work, pushes on top of the branch and waits for the checks of that very
commit, again and again. The token is in GITHUB_TOKEN. The folder is a clone, with the branch checked out.
Exit 0 only if all checks pass, 1 if not, 2 bad usage, 3 nobody could judge, 4 refused, 130 interrupted:
the same command goes on. Stop reasons and a workflow for GitHub Actions: docs/use/ci.md.

--json prints run, branch, stopReason, summary, exitCode, headSha (or null), iterations, durationSeconds,
costUsd, links (pullRequest, folder) and suggestions. Each iteration has number (0 has only read the checks),
attempt, commit, changedFiles, fixers, failedChecks, signature, outcome, summary and costUsd.
--dry-run --json prints branch, repo, headSha, pullRequest, checks, triage, fixers, prepare, prepareHosts,
agent, maxIterations, maxMinutes, fixMode and resumes. A refusal is error (what, why, todo) and exitCode.`;

/** Adds the verb `ci` to the command line. */
export function addCi(program: Command, onFlags: (flags: CiFlags) => void): void {
  const number = (name: string, most: number) => (text: string) => readNumber(name, text, most);
  program
    .command("ci")
    .description("get the checks of a branch or pull request to green")
    .argument("<branch|pr>", "a branch, or the number or the address of a pull request")
    .addOption(new Option("--repo <folder>", "the clone").default("."))
    .option("--workflow <name>", "only the checks of this workflow: its name or its file")
    .addOption(
      new Option("--max-iterations <n>", "changes to push, at most")
        .default(10)
        .argParser(number("--max-iterations", MOST_ITERATIONS)),
    )
    .addOption(
      new Option("--max-minutes <n>", "minutes for all of it").default(60).argParser(number("--max-minutes", MOST_MINUTES)),
    )
    .addOption(
      new Option("--fix-mode <mode>", "safe repairs; report-only changes nothing")
        .choices(["safe", "report-only"])
        .default("safe"),
    )
    .addOption(
      new Option("--allow <what>", `let changes alter: ${ALLOWED.join(", ")}; several with commas`).argParser(readAllowed),
    )
    .option("--batch <file>", "take the agent, limits and prepare commands of this batch file")
    .option("--agent <agent>", "the agent without a batch file, as init takes it")
    .option("--agent-key <variable>", "the variable with its key, or login")
    .option("--dry-run", "say what would be done; change nothing")
    .option("--headless", "print plain lines instead of the dashboard")
    .option("--json", "print the result as JSON; lines go to stderr")
    .option("--allow-api-key", "start although a model API key is set that changes who pays")
    .addHelpText("after", MORE)
    .action((target: string, flags: Omit<CiFlags, "target">) => onFlags({ target, ...flags }));
}

function readAllowed(text: string, before: readonly Allowed[] = []): readonly Allowed[] {
  const words = text.split(",").map((word) => word.trim());
  const named = words.flatMap((word) => ALLOWED.find((each) => each === word) ?? []);
  if (named.length === words.length) return [...new Set([...before, ...named])];
  throw new UserError({
    what: `--allow takes ${ALLOWED.join(", ")}`,
    why: `"${text}" is none of them`,
    todo: "Try: --allow tests",
    exitCode: EXIT.usage,
  });
}

function readNumber(name: string, text: string, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new UserError({
    what: `${name} takes a whole number from 1 to ${most}`,
    why: `"${text}" is not one`,
    todo: `Try: ${name} 5`,
    exitCode: EXIT.usage,
  });
}
