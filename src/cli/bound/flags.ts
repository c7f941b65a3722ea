import { Argument, type Command, Option } from "commander";
import { usageError } from "../usage-error.ts";

/** The acts of `loopdash bound`. */
export const BOUND_ACTS = ["show", "check", "suggest", "approve"] as const;

/** The request of `loopdash bound`. */
export interface BoundFlags {
  readonly act: (typeof BOUND_ACTS)[number];
  /** The object of the act: a commit to check, or a run, a ticket and a commit to approve. */
  readonly words: readonly string[];
  readonly repo: string;
  readonly base?: string;
  readonly batch?: string;
  /** Numbers of suggestions to write. */
  readonly accept?: readonly number[];
  readonly json?: true;
}

/** Words that each act takes at most. */
const WORDS: Readonly<Record<BoundFlags["act"], number>> = { show: 0, check: 1, suggest: 0, approve: 3 };

const MORE = `
show lists the rules of BOUND.md at the base, each with how hard it holds and why. check [commit] says
which zones a change touches (default: the checkout with what is not committed) and runs the iron laws;
exit 0 if it touches none and they hold, else 1. suggest proposes zones from the history and CODEOWNERS,
and writes those that you accept by number. approve <run> <ticket> [commit] lets a change of a zone land.
More: docs/use/bound.md.`;

/** Adds the verb `bound` to the command line. */
export function addBound(program: Command, onFlags: (flags: BoundFlags) => void): void {
  program
    .command("bound")
    .description("the boundaries of a repository: show, check, suggest or approve")
    .addArgument(new Argument("<act>", BOUND_ACTS.join(", ")).choices(BOUND_ACTS))
    .argument("[word...]", "the commit to check; or the run, the ticket and the commit to approve")
    .addOption(new Option("--repo <folder>", "the repository").default("."))
    .option("--base <ref>", "the branch or commit whose rules count; default: the branch that changes land on")
    .option("--batch <file>", "with show: the rules as the runs of this batch hold them")
    .option("--accept <n...>", "with suggest: write these suggestions to BOUND.md", readNumbers)
    .option("--json", "as JSON")
    .addHelpText("after", MORE)
    .action((act: BoundFlags["act"], words: string[], flags: Omit<BoundFlags, "act" | "words">) => {
      if (words.length > WORDS[act])
        throw usageError(`loopdash bound ${act} takes ${WORDS[act]} words`, `"${words[WORDS[act]]}" is one too many`, SEE_HELP);
      if (act === "approve" && words.length < 2)
        throw usageError(
          "loopdash bound approve lacks its ticket",
          "it takes a run and a ticket",
          "Try: loopdash bound approve RUN TICKET",
        );
      onFlags({ act, words, ...flags });
    });
}

const SEE_HELP = "See: loopdash bound --help";

function readNumbers(text: string, before: readonly number[] = []): readonly number[] {
  const numbers = text.split(",").map(Number);
  if (numbers.every((n) => Number.isInteger(n) && n >= 1)) return [...before, ...numbers];
  throw usageError("--accept takes the numbers of suggestions", `"${text}" is none`, "Try: loopdash bound suggest --accept 1 3");
}
