import { HOOK_VENDORS } from "@loopdash/guard";
import type { Command, CommanderError, Option } from "commander";
import { closest, distance } from "fastest-levenshtein";
import { plainText } from "../domain/values/text.ts";
import type { UserError } from "../domain/values/user-error.ts";
import { BOUND_ACTS } from "./bound/flags.ts";
import { collect } from "./init/flags.ts";
import { createProgram, type Request, SHELLS } from "./program.ts";
import { usageError } from "./usage-error.ts";

/** Reads argv (without node and script). Throws a UserError (exit 2) that names the nearest valid spelling. */
export function readArgs(argv: readonly string[]): Request {
  let request: Request | undefined;
  let text = "";
  const program = createProgram({
    onRequest: (read) => {
      request = read;
    },
    onText: (part) => {
      text += part;
    },
    onExit: (error, command) => {
      if (error.exitCode !== 0)
        throw error.code === "commander.help" ? unknownVerb(argv[1] ?? "", program) : refusal(error, command);
      request = error.code === "commander.version" ? { verb: "version" } : { verb: "help", text };
      throw error;
    },
  });
  for (const command of program.commands)
    for (const option of command.options)
      if (option.required && !option.variadic && option.parseArg !== collect) refuseSecond(command, option);
  const [first = "--help"] = argv;
  const isVerb = first === "help" || program.commands.some((command) => command.name() === first);
  if (!isVerb && !first.startsWith("-") && !looksLikeFile(first)) throw unknownVerb(first, program);
  try {
    program.parse(argv.length === 0 ? ["--help"] : argv, { from: "user" });
  } catch (error) {
    if (request === undefined) throw error;
  }
  if (request === undefined) throw new Error(`the command line asks for nothing: ${argv.join(" ")}`);
  return request;
}

/** Refuses an option that is given twice with a value each, of which commander would drop the first without a word. */
function refuseSecond(command: Command, option: Option): void {
  let isGiven = false;
  command.on(`option:${option.name()}`, () => {
    if (isGiven) command.error(`error: ${option.long} is given twice`);
    isGiven = true;
  });
}

function looksLikeFile(word: string): boolean {
  return /[./\\]/.test(word);
}

/** Rewords the parser's error as a UserError. */
function refusal({ code, message }: CommanderError, command: Command): UserError {
  const [name = "", other = ""] = [...message.matchAll(/'([^']+)'/g)].map(([, quoted = ""]) => quoted);
  switch (code) {
    case "commander.unknownOption":
      return unknownOption(command, name);
    case "commander.conflictingOption":
      return usageError(`${command.name()} gives one format`, `${name} and ${other} were both given`, "Choose one of them.");
    case "commander.excessArguments":
      return tooMany(command);
    case "commander.missingArgument":
      return missing(command);
    case "commander.invalidArgument":
      return notAmongChoices(command, message);
    default:
      return unreadable(command, message.replace(/^error: /, ""));
  }
}

function notAmongChoices(command: Command, message: string): UserError {
  const [word = ""] = command.args;
  if (command.name() === "harness") return noHarnessAct(word);
  if (command.name() === "bound") return noBoundAct(word);
  if (command.name() === "ci") {
    const [, value = ""] = / argument '(.*)' is invalid\./s.exec(message) ?? [];
    const why = `"${plainText(value, 100)}" is neither`;
    return usageError("--fix-mode takes safe or report-only", why, "Try: --fix-mode safe");
  }
  if (command.name() === "guard" || command.name() === "hook") return notOfGuard(command, word, message);
  return command.name() === "tracker" ? noTrackerAct(word) : noCompletions(word);
}

function unreadable(command: Command, why: string): UserError {
  return usageError("the command line cannot be read", why, `See: loopdash ${command.name()} --help`);
}

function unknownOption(command: Command, word: string): UserError {
  const [flag = ""] = word.split("=", 1);
  if (command.name() === "guard" && !command.options.some(({ long }) => isSpelling(flag, long ?? "")))
    return lineBehindDashes(flag);
  if (!flag.startsWith("--")) return unreadable(command, `${flag} is not an option`);
  if (command.name() === "tracker") return notBehindDashes(flag);
  const known = ["--help", ...command.options.flatMap(({ long }) => long ?? [])];
  if (known.includes(flag)) return unreadable(command, `${flag} takes no value`);
  const near = closest(flag, known);
  const todo =
    distance(flag, near) <= Math.min(3, Math.ceil(flag.length / 3)) ? `Did you mean ${near}?` : `Known here: ${known.join(", ")}`;
  return usageError(`loopdash ${command.name()} has no option ${flag}`, "it is not one of its options", todo);
}

function unknownVerb(word: string, program: Command): UserError {
  const near = closest(word, [...program.commands.map((command) => command.name()), "help"]);
  // "batch" is one letter from a verb, and means none.
  const todo =
    word !== "batch" && distance(word, near) <= 2
      ? `Did you mean: loopdash ${near}`
      : "Name a batch file (loopdash batch.json) or see: loopdash --help";
  return usageError(`loopdash does not know "${word}"`, "it is neither a verb nor looks like a batch file", todo);
}

function missing(command: Command): UserError {
  if (command.name() === "completion") return noCompletions("");
  if (command.name() === "harness") return noHarnessAct("");
  if (command.name() === "tracker") return noTrackerAct("");
  if (command.name() === "guard") return noGuardAct("");
  if (command.name() === "bound") return noBoundAct("");
  const needed = command.registeredArguments.filter(({ required }) => required).map((argument) => argument.name());
  const [name] = needed.slice(command.args.length);
  if (name !== undefined && name !== "batch.json") {
    const usage = needed.map((each) => `<${each}>`).join(" ");
    return usageError(
      `loopdash ${command.name()} lacks its ${name}`,
      `<${name}> is missing`,
      `Try: loopdash ${command.name()} ${usage}`,
    );
  }
  return usageError(
    "no batch file is named",
    "loopdash works a batch of tickets",
    "Try: loopdash batch.json, or write one: loopdash init",
  );
}

function noCompletions(shell: string): UserError {
  const why = shell === "" ? "the name of a shell is missing" : `"${shell}" is none of them`;
  return usageError(`completions are for ${SHELLS.join(", ")}`, why, "Try: loopdash completion bash");
}

function noHarnessAct(word: string): UserError {
  const why = word === "" ? "none of its acts is named" : `"${word}" is none of them`;
  return usageError("loopdash harness does log, diff, keep and revert", why, "Try: loopdash harness log");
}

function noBoundAct(word: string): UserError {
  const why = word === "" ? "none of its acts is named" : `"${word}" is none of them`;
  return usageError(`loopdash bound does ${BOUND_ACTS.join(", ")}`, why, "Try: loopdash bound show");
}

/** An option that is meant for the tracker's program. */
function notBehindDashes(flag: string): UserError {
  const todo = "Write: loopdash tracker check -- <program> [arguments]";
  return usageError(`loopdash tracker has no option ${flag}`, "the program and its own options come after --", todo);
}

function isSpelling(word: string, of: string): boolean {
  return distance(word, of) <= 3;
}

/** An option that is meant for the command line that is to be judged. */
function lineBehindDashes(flag: string): UserError {
  const todo = 'Write: loopdash guard check -- "<command line>"';
  return usageError(`loopdash guard has no option ${flag}`, "the command line and its own options come after --", todo);
}

function noGuardAct(word: string): UserError {
  const why = word === "" ? "none of its acts is named" : `"${word}" is none of them`;
  return usageError("loopdash guard does check, install, uninstall and status", why, 'Try: loopdash guard check -- "git status"');
}

/** A wrong act or event, or a wrong value of --agent. */
function notOfGuard(command: Command, word: string, message: string): UserError {
  const [, option, value = ""] = /option '(--\w+)[^']*' argument '(.*)' is invalid/s.exec(message) ?? [];
  if (option === undefined && command.name() === "guard") return noGuardAct(word);
  if (option === undefined) return unreadable(command, `"${word}" is none of its events`);
  return usageError(
    `${option} takes ${HOOK_VENDORS.join(", ")}`,
    `"${plainText(value, 60)}" is none of them`,
    `Try: ${option} claude`,
  );
}

function noTrackerAct(word: string): UserError {
  const why = word === "" ? "its act is not named" : `"${word}" is not it`;
  return usageError("loopdash tracker does one thing, check", why, "Try: loopdash tracker check -- node tracker.mjs");
}

function tooMany(command: Command): UserError {
  const [argument] = command.registeredArguments;
  const why = `"${command.args[command.registeredArguments.length]}" is one too many`;
  if (argument?.name() === "batch.json") return usageError("one batch file at a time", why, "See: loopdash --help");
  const most = argument === undefined ? "no run" : `at most one ${argument.name()}`;
  return usageError(`loopdash ${command.name()} takes ${most}`, why, "See: loopdash --help");
}
