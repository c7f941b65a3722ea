import { Argument, type Command, Option } from "commander";
import { HOOK_EVENTS, HOOK_VENDORS } from "../domain/guard/hooks/hook-event.ts";

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

const HOOK = `
Agents' programs call this before each use of a tool, with a JSON object on stdin: exit 0 lets the tool pass, 2 blocks it, with
the reason and an alternative on stderr. What cannot be judged is blocked. The file of --settings has
{"families"?, "rules"?, "onParseError"?, "worktree"?}; one that is wrong blocks everything. More: docs/guard.md.`;

/** Adds the verb `hook`. */
export function addHook(
  program: Command,
  onRequest: (request: { readonly verb: "hook"; readonly args: readonly string[] }) => void,
): void {
  program
    .command("hook")
    .description("what the settings of agents' programs call: judge the use of a tool")
    .addArgument(new Argument("<event>", HOOK_EVENTS.join(", ")).choices(HOOK_EVENTS))
    .addOption(new Option("--agent <kind>", "whose program calls").choices(HOOK_VENDORS))
    .option("--settings <file>", "the settings of the guard")
    .option("--report <file>", "append a JSON line for each judgement")
    .addHelpText("after", HOOK)
    .action((event: string, files: Readonly<Record<string, string>>) =>
      onRequest({ verb: "hook", args: [event, ...Object.entries(files).flatMap(([name, file]) => [`--${name}`, file])] }),
    );
}

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
