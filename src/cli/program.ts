import { Argument, Command, type CommanderError, Help, Option } from "commander";
import type { UserError } from "../domain/values/user-error.ts";
import { addBound, type BoundFlags } from "./bound/flags.ts";
import { addCi, type CiFlags } from "./ci/flags.ts";
import { addGuard, addHook, type GuardRequest } from "./guard/flags.ts";
import type { GuardSetup } from "./guard/setup-flags.ts";
import { addImprove, type ImproveFlags } from "./improve/flags.ts";
import { addInit, type InitFlags } from "./init/flags.ts";
import { addLint, type LintFlags } from "./lint/flags.ts";
import { addReport, addVerifyJournal, type ReportRequest } from "./report-flags.ts";
import { addTicketVerbs, type TicketRequest } from "./ticket-flags.ts";
import { usageError } from "./usage-error.ts";
import { VERSION } from "./version.ts";
import { addWatch, type WatchRequest } from "./watch/flags.ts";

/** Shells with completions. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** The parsed request of the command line. */
export type Request =
  | { readonly verb: "help"; readonly text: string }
  | { readonly verb: "version" }
  | {
      readonly verb: "run";
      readonly batch: string;
      readonly output: "auto" | "headless" | "json";
      readonly workers?: number;
      readonly dryRun: boolean;
      /** The one ticket that is worked in a copy of its repository. */
      readonly rehearse?: string;
      readonly fresh: boolean;
      readonly detach: boolean;
      readonly allowApiKey: boolean;
      readonly acceptChanges: boolean;
    }
  | { readonly verb: "init"; readonly flags: InitFlags }
  | { readonly verb: "ci"; readonly flags: CiFlags }
  | { readonly verb: "improve"; readonly flags: ImproveFlags }
  | { readonly verb: "bound"; readonly flags: BoundFlags }
  | { readonly verb: "lint"; readonly flags: LintFlags }
  | { readonly verb: "add"; readonly run: string; readonly ticket: string }
  | { readonly verb: "oracle"; readonly batch: string }
  | { readonly verb: "attach"; readonly run?: string }
  | { readonly verb: "replay"; readonly run?: string; readonly speed: number; readonly skipsIdle: boolean }
  | { readonly verb: "status"; readonly run?: string; readonly json: boolean }
  | { readonly verb: "verify"; readonly run?: string; readonly ticket?: string }
  | TicketRequest
  | { readonly verb: "runs"; readonly json: boolean }
  | WatchRequest
  | { readonly verb: "cache"; readonly clear: boolean; readonly json: boolean }
  | ReportRequest
  | { readonly verb: "doctor"; readonly batch?: string; readonly prepare: boolean; readonly json: boolean }
  | {
      readonly verb: "harness";
      readonly act: "log" | "diff" | "keep" | "revert";
      /** Names of changes, or their beginnings. */
      readonly changes: readonly string[];
      readonly json: boolean;
      readonly everywhere: boolean;
    }
  | { readonly verb: "tracker"; readonly act: "check"; readonly command: readonly string[] }
  | GuardRequest
  | GuardSetup
  | { readonly verb: "hook"; readonly args: readonly string[] }
  | { readonly verb: "completion"; readonly shell: (typeof SHELLS)[number] };

/** Callbacks for the parser's results. */
export interface ProgramListeners {
  readonly onRequest?: (request: Request) => void;
  /** Called instead of an exit: with the command whose arguments are wrong, or whose help or version was requested. */
  readonly onExit?: (error: CommanderError, command: Command) => void;
  /** Called with the text of a help. */
  readonly onText?: (text: string) => void;
}

const EXIT_CODES = `
Exit codes of a run: 0 the oracle said done, 1 ended but not done, 2 bad usage or batch file,
3 the oracle could not judge, 4 refused to start, 130 interrupted or left running.`;

/** The command line of loopdash: its verbs and options, for the parser, the help and the completions. */
export function createProgram({ onRequest = () => undefined, onExit, onText }: ProgramListeners = {}): Command {
  const program = new Command("loopdash");
  program
    .usage("<batch.json> [options]\n       loopdash <verb> [options]")
    .description("loopdash: works a batch of tickets with coding agents; only its oracle says done")
    .version(VERSION, "-v, --version", "print the version")
    .helpOption("-h, --help", "print this help, or that of a verb")
    .commandsGroup("Verbs:")
    .helpCommand("help [verb]", "print this help, or that of a verb")
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .addHelpText("after", EXIT_CODES)
    .configureOutput({ writeErr: () => undefined, ...(onText === undefined ? {} : { writeOut: onText }) });
  addRun(program, onRequest);
  addVerbs(program, onRequest);
  const run = program.commands.filter((command) => command.name() === "run");
  const help = new Help();
  program.configureHelp({
    // A batch file without a verb means `run`, with its options.
    visibleOptions: (command) => [
      ...(command === program ? run.flatMap((verb) => verb.options) : []),
      ...help.visibleOptions(command),
    ],
    subcommandTerm: (verb) => [verb.name(), ...verb.registeredArguments.map(argumentTerm)].join(" "),
  });
  for (const command of [program, ...program.commands]) {
    command.configureHelp(program.configureHelp());
    if (onExit !== undefined) command.exitOverride((error) => onExit(error, command));
  }
  return program;
}

function argumentTerm(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}

interface RunOptions {
  readonly headless?: true;
  readonly json?: true;
  readonly workers?: number;
  readonly dryRun?: true;
  readonly fresh?: true;
  readonly detach?: true;
  readonly allowApiKey?: true;
  readonly acceptChanges?: true;
  readonly only?: string;
  readonly rehearse?: true;
}

function addRun(program: Command, onRequest: (request: Request) => void): void {
  program
    .command("run", { isDefault: true })
    .description("the same as without a verb: start the batch, or continue its run")
    .argument("<batch.json>")
    .optionsGroup("Options of a run:")
    .option("--headless", "print plain lines instead of the dashboard")
    .option("--json", "print every event as one JSON line; with --dry-run the plan as JSON")
    .option("--workers <n>", "work this many tickets at a time (1 to 64)", readWorkers)
    .option("--dry-run", "print the plan and the ready set; start nothing")
    .option("--fresh", "give up the unfinished run and start again")
    .option("--detach", "start, print the run's name, and leave it working")
    .option("--allow-api-key", "start although a model API key is set that changes who pays")
    .option("--only <ticket>", "with --rehearse: the ticket that is rehearsed")
    .option("--rehearse", "work one ticket once in a copy of its repository, and land nothing")
    .option("--accept-changes", "continue although the batch file was changed: new tickets, looser bounds")
    .action((batch: string, options: RunOptions, command: Command) => {
      if ((options.only === undefined) === (options.rehearse === true))
        command.error("error: --only <ticket> and --rehearse go together");
      onRequest({
        verb: "run",
        batch,
        output: options.json === true ? "json" : options.headless === true ? "headless" : "auto",
        workers: options.workers,
        dryRun: options.dryRun === true,
        fresh: options.fresh === true,
        detach: options.detach === true,
        allowApiKey: options.allowApiKey === true,
        acceptChanges: options.acceptChanges === true,
        rehearse: options.only,
      });
    });
}

function addVerbs(program: Command, onRequest: (request: Request) => void): void {
  const named = (run: string | undefined): { run?: string } => (run === undefined ? {} : { run });
  addInit(program, (flags) => onRequest({ verb: "init", flags }));
  addCi(program, (flags) => onRequest({ verb: "ci", flags }));
  addImprove(program, (flags) => onRequest({ verb: "improve", flags }));
  program
    .command("attach [run]")
    .description("show the dashboard of a running or finished run")
    .action((run?: string) => onRequest({ verb: "attach", ...named(run) }));
  program
    .command("replay [run]")
    .description("play a run again in the dashboard")
    .addOption(new Option("--speed <n>", "play it so many times as fast (1 to 1000)").default(10).argParser(readSpeed))
    .option("--idle", "play stretches in which nothing happened too")
    .action((run: string | undefined, { speed, idle }: { speed: number; idle?: true }) =>
      onRequest({ verb: "replay", ...named(run), speed, skipsIdle: idle !== true }),
    );
  program
    .command("oracle <batch.json>")
    .description("ask the oracle once: exit 0, 1 or 2, evidence on stdout")
    .action((batch: string) => onRequest({ verb: "oracle", batch }));
  program
    .command("status [run]")
    .description("print the state of a run")
    .option("--json", "as JSON")
    .action((run: string | undefined, { json }: { json?: true }) =>
      onRequest({ verb: "status", ...named(run), json: json === true }),
    );
  program
    .command("verify [run] [ticket]")
    .description("check now whether what has landed is live; exit 0 if all that was checked is live, else 1")
    .action((run?: string, ticket?: string) => onRequest({ verb: "verify", ...named(run), ticket }));
  addTicketVerbs(program, onRequest);
  addRuns(program, onRequest);
  addCache(program, onRequest);
  addAdd(program, onRequest);
  addReport(program, onRequest);
  addVerifyJournal(program, onRequest);
  addDoctor(program, onRequest);
  addHarness(program, onRequest);
  addTracker(program, onRequest);
  addGuard(program, onRequest);
  addHook(program, onRequest);
  addBound(program, (flags) => onRequest({ verb: "bound", flags }));
  addLint(program, (flags) => onRequest({ verb: "lint", flags }));
  program
    .command("completion")
    .description("print a script that completes command lines in a shell")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => onRequest({ verb: "completion", shell }));
}

function addDoctor(program: Command, onRequest: (request: Request) => void): void {
  program
    .command("doctor [batch.json]")
    .description("check everything that a run needs")
    .option("--prepare", "also run the prepare commands of each repository")
    .option("--json", "as JSON")
    .action((batch: string | undefined, { prepare, json }: { prepare?: true; json?: true }) =>
      onRequest({ verb: "doctor", batch, prepare: prepare === true, json: json === true }),
    );
}

function addRuns(program: Command, onRequest: (request: Request) => void): void {
  program
    .command("runs")
    .description("list all runs, newest first")
    .option("--json", "as JSON")
    .action(({ json }: { json?: true }) => onRequest({ verb: "runs", json: json === true }));
  addWatch(program, onRequest);
}

function addCache(program: Command, onRequest: (request: Request) => void): void {
  program
    .command("cache")
    .description("list the kept results of prepare commands and of checks")
    .option("--clear", "remove them all")
    .option("--json", "as JSON")
    .action(({ clear, json }: { clear?: true; json?: true }) =>
      onRequest({ verb: "cache", clear: clear === true, json: json === true }),
    );
}

function addAdd(program: Command, onRequest: (request: Request) => void): void {
  program
    .command("add <run> <ticket.json>")
    .description("add a ticket to an unfinished run")
    .action((run: string, ticket: string) => onRequest({ verb: "add", run, ticket }));
}

function addHarness(program: Command, onRequest: (request: Request) => void): void {
  program
    .command("harness")
    .description("what heals have added to later runs: log, diff, keep or revert it")
    .addArgument(new Argument("<act>", "log, diff, keep or revert").choices(["log", "diff", "keep", "revert"]))
    .argument("[change...]", "names of changes, as log gives them")
    .option("--everywhere", "with keep: for every repository, and not only the change's own")
    .option("--json", "as JSON")
    .action(
      (act: "log" | "diff" | "keep" | "revert", changes: string[], { json, everywhere }: { json?: true; everywhere?: true }) =>
        onRequest({ verb: "harness", act, changes, json: json === true, everywhere: everywhere === true }),
    );
}

const TRACKER_CHECK = `
check files tickets with ids loopdash-check-… and leaves them done: use a test project. Words after -- are the program and its
arguments. It runs in this folder with this environment. Exit 0 if it keeps to the protocol, 1 if not.`;

function addTracker(program: Command, onRequest: (request: Request) => void): void {
  program
    .command("tracker")
    .usage("check -- <program> [arguments]")
    .description("check a program that speaks for your tracker; files tickets: use a test project")
    .addArgument(new Argument("<act>", "check").choices(["check"]))
    .argument("[program...]", "the program and its arguments, after --")
    .addHelpText("after", TRACKER_CHECK)
    .action((act: "check", command: string[]) => {
      if (command.length === 0 || command[0] === "") throw noTrackerProgram();
      onRequest({ verb: "tracker", act, command });
    });
}

function noTrackerProgram(): UserError {
  const todo = "Try: loopdash tracker check -- node tracker.mjs";
  return usageError("loopdash tracker check lacks its program", "no program is named", todo);
}

function readWorkers(text: string): number {
  const workers = Number(text);
  if (Number.isInteger(workers) && workers >= 1 && workers <= 64) return workers;
  throw usageError("--workers takes a whole number from 1 to 64", `"${text}" is not one`, "Try: --workers 4");
}

function readSpeed(text: string): number {
  const speed = Number(text);
  if (Number.isFinite(speed) && speed >= 1 && speed <= 1_000) return speed;
  throw usageError("--speed takes a number from 1 to 1000", `"${text}" is not one`, "Try: --speed 10");
}
