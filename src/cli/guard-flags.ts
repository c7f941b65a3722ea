import { Argument, type Command } from "commander";

/** A request for judgements of command lines. */
export interface GuardRequest {
  readonly verb: "guard";
  readonly act: "check";
  readonly json: boolean;
  /** A command line, or the words of one. Without any, lines come from stdin. */
  readonly words: readonly string[];
}

const GUARD_CHECK = `
check judges one command line and runs nothing: exit 0 if it is allowed; exit 2 if it is blocked, with the reason and an
alternative on stderr. Without a command line it reads JSON strings, one per line of stdin, prints a JSON verdict for each, and
exits 0. What it cannot judge exits 2. Example: loopdash guard check -- "git reset --hard"`;

/** Adds the verb `guard`. */
export function addGuard(program: Command, onRequest: (request: GuardRequest) => void): void {
  program
    .command("guard")
    .usage('check [--json] [-- "<command line>"]')
    .description("judge command lines before agents run them: block what destroys")
    .addArgument(new Argument("<act>", "check").choices(["check"]))
    .argument("[command...]", "a command line, after --")
    .option("--json", "print the verdict as JSON")
    .addHelpText("after", GUARD_CHECK)
    .action((act: "check", words: string[], { json }: { json?: true }) =>
      onRequest({ verb: "guard", act, json: json === true, words }),
    );
}
