import type { Command } from "commander";

/** The options of an improvement loop. */
export interface ImproveFlags {
  readonly goal: string;
  readonly once?: true;
  readonly dryRun?: true;
  readonly status?: true;
  readonly tell?: string;
  readonly acceptChanges?: true;
  readonly json?: true;
  readonly allowApiKey?: true;
}

const MORE = `
improve finds one defect after another, has a check written for each that fails because of it, and lands a
change only if the check passes then and the verifier's attack is repelled. Ctrl-C ends it after the
iteration, a second one at once; the same command goes on. Exit 0 if nothing material is left, 1 if the
budget or failing finders ended it, 2 bad usage, 3 nobody could judge, 4 refused, 130 interrupted.`;

/** Adds the verb `improve` to the command line. */
export function addImprove(program: Command, onFlags: (flags: ImproveFlags) => void): void {
  program
    .command("improve")
    .description("find and mend one defect after another, by a goal file")
    .argument("<goal.md>")
    .option("--once", "one iteration")
    .option("--dry-run", "one iteration in a copy of the repository: it lands nothing")
    .option("--status", "print the log and its numbers; start nothing")
    .option("--json", "with --status: as JSON")
    .option("--tell <text>", "ask the next finder for something; start nothing")
    .option("--accept-changes", "continue although the goal file was changed in an iteration")
    .option("--allow-api-key", "start although a model API key is set that changes who pays")
    .addHelpText("after", MORE)
    .action((goal: string, flags: Omit<ImproveFlags, "goal">) => onFlags({ goal, ...flags }));
}
