import { HOOK_EVENTS, HOOK_VENDORS } from "@loopdash/guard";
import { Argument, type Command, Option } from "commander";
import type { VendorKind } from "../../domain/batch/vendors.ts";
import { plainText } from "../../domain/values/text.ts";
import { usageError } from "../usage-error.ts";
import { type GuardSetup, SETUP_ACTS } from "./setup-flags.ts";

/** A request for judgements of command lines. */
export interface GuardRequest {
  readonly verb: "guard";
  readonly act: "check";
  readonly json: boolean;
  /** A command line, or the words of one. Without any, lines come from stdin. */
  readonly words: readonly string[];
}

const GUARD = `
install puts the guard into the settings of the agents that you run by hand: it shows the change, asks, and keeps a backup beside
the file. uninstall takes out exactly that. status says for each agent whether the guard is there, and tests that it blocks.

check judges one command line and runs nothing: exit 0 if it is allowed; exit 2 if it is blocked, with the reason and an
alternative on stderr. Without a command line it reads JSON strings, one per line of stdin, prints a JSON verdict for each, and
exits 0. What it cannot judge exits 2. Example: loopdash guard check -- "git reset --hard"`;

const HOOK = `
Agents' programs call this before each use of a tool, with a JSON object on stdin: exit 0 lets the tool pass, 2 blocks it, with
the reason and an alternative on stderr. What cannot be judged is blocked. The file of --settings has
{"families"?, "rules"?, "onParseError"?, "worktree"?}; one that is wrong blocks everything. More: docs/use/guard.md.`;

/** Adds the verb `hook`. */
export function addHook(
  program: Command,
  onRequest: (request: { readonly verb: "hook"; readonly args: readonly string[] }) => void,
): void {
  program
    .command("hook")
    .description("judge the use of a tool; the settings of agents' programs call this")
    .addArgument(new Argument("<event>", HOOK_EVENTS.join(", ")).choices(HOOK_EVENTS))
    .addOption(new Option("--agent <kind>", "whose program calls").choices(HOOK_VENDORS))
    .option("--settings <file>", "the settings of the guard")
    .option("--report <file>", "append a JSON line for each judgement")
    .option("--audit <file>", "after a tool: append a JSON line for each command that may have changed something")
    .option("--stop <file>", "at stop: what the agent is reminded of")
    .option("--nudge <file>", "hand each line of this file on to the agent, once")
    .addHelpText("after", HOOK)
    .action((event: string, files: Readonly<Record<string, string>>) =>
      onRequest({ verb: "hook", args: [event, ...Object.entries(files).flatMap(([name, file]) => [`--${name}`, file])] }),
    );
}

/** Adds the verb `guard`. */
export function addGuard(program: Command, onRequest: (request: GuardRequest | GuardSetup) => void): void {
  program
    .command("guard")
    .usage('check [--json] [-- "<command line>"]\n       loopdash guard install|uninstall|status [options]')
    .description("block destructive commands of agents: check a command line, or install this in your own agents")
    .addArgument(new Argument("<act>", GUARD_ACTS.join(", ")).choices(GUARD_ACTS))
    .argument("[command...]", "with check: a command line, after --")
    .addOption(new Option("--agent <kinds...>", "these agents; default: all that are found here").choices(HOOK_VENDORS))
    .option("--project", "the settings of this repository instead of yours")
    .option("--settings <file>", "with install: the settings of the guard, for families and rules to switch")
    .option("--no-server", "with install: the hooks start Node each time, and no guard server")
    .option("--no-deny-rules", "with install: Claude Code's settings get no rules for files with credentials")
    .option("--no-stop", "with install: an agent that stops is told nothing of what is unmet")
    .option("--no-audit", "with install: no list of the commands that changed something")
    .option("--dry-run", "show the change and write nothing")
    .option("-y, --yes", "write without asking")
    .option("--json", "with check and status: as JSON")
    .addHelpText("after", GUARD)
    .action((act: (typeof GUARD_ACTS)[number], words: string[], flags: SetupFlags) => onRequest(requestOf(act, words, flags)));
}

const GUARD_ACTS = ["check", ...SETUP_ACTS] as const;

interface SetupFlags {
  readonly agent?: readonly VendorKind[];
  readonly project?: true;
  readonly settings?: string;
  readonly server: boolean;
  readonly denyRules: boolean;
  readonly stop: boolean;
  readonly audit: boolean;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

function requestOf(act: (typeof GUARD_ACTS)[number], words: readonly string[], flags: SetupFlags): GuardRequest | GuardSetup {
  const { json = false, agent = [], settings, server, denyRules, stop, audit, ...switches } = flags;
  if (act === "check") {
    if (Object.entries(flags).some(([name, value]) => name !== "json" && !(ON_BY_DEFAULT.includes(name) && value === true)))
      throw usageError(
        "loopdash guard check takes --json alone",
        "the other options are for install, uninstall and status",
        SEE_HELP,
      );
    return { verb: "guard", act, json, words };
  }
  if (words.length > 0)
    throw usageError(
      `loopdash guard ${act} takes options alone`,
      `"${plainText(words[0] ?? "", 60)}" is one word too many`,
      SEE_HELP,
    );
  const { project = false, dryRun = false, yes = false } = switches;
  return { verb: "guard-setup", act, agents: agent, project, server, denyRules, stop, audit, dryRun, yes, json, settings };
}

/** Options that are true unless they are named. */
const ON_BY_DEFAULT = ["server", "denyRules", "stop", "audit"];

const SEE_HELP = "See: loopdash guard --help";
