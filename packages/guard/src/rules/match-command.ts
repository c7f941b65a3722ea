import type { Inspector } from "../paths.ts";
import { isUnknown } from "../shell/scope.ts";
import type { CommandRule } from "./commands/command-rule.ts";
import { DATABASE_RULES } from "./commands/databases.ts";
import { INFRASTRUCTURE_RULES } from "./commands/infrastructure.ts";
import { PUBLISH_RULES } from "./commands/publish.ts";
import { SECRET_RULES } from "./commands/secrets.ts";
import { SERVICE_RULES } from "./commands/services.ts";
import { VALUE_OPTIONS } from "./commands/value-options.ts";

const COMMAND_RULES: readonly CommandRule[] = [
  ...PUBLISH_RULES,
  ...INFRASTRUCTURE_RULES,
  ...SERVICE_RULES,
  ...DATABASE_RULES,
  ...SECRET_RULES,
];

type MatchWord = (word: string) => boolean;

interface CompiledRule extends CommandRule {
  readonly matchers: readonly MatchWord[];
  /** True if one of the words may stand anywhere. */
  readonly isAnywhere: boolean;
}

/** Rules that were needed, by program: compiling all of them would take longer than most judgements. */
const compiledRules = new Map<string, readonly CompiledRule[]>();

function programRules(program: string): readonly CompiledRule[] {
  const known = compiledRules.get(program);
  if (known !== undefined) return known;
  const rules = COMMAND_RULES.filter(({ programs }) => `|${programs}|`.includes(`|${program}|`)).map(compile);
  compiledRules.set(program, rules);
  return rules;
}

function compile(rule: CommandRule): CompiledRule {
  const isAnywhere = rule.words.startsWith("~");
  const words = rule.words
    .replace(/^~/, "")
    .split(" ")
    .filter((word) => word !== "");
  return { ...rule, isAnywhere, matchers: words.map(compileWordMatcher) };
}

function compileWordMatcher(text: string): MatchWord {
  if (text === "*") return () => true;
  if (text.startsWith("!")) {
    const isMatch = compileWordMatcher(text.slice(1));
    return (word) => !isMatch(word);
  }
  const [, source, flags] = /^\/(.*)\/(i?)$/.exec(text) ?? [];
  if (source !== undefined) {
    const pattern = new RegExp(source, flags);
    return (word) => pattern.test(word);
  }
  const choices = new Set(text.split("|"));
  return (word) => choices.has(word);
}

/** Names of programs that a rule forbids something to. */
export function ruledPrograms(): readonly string[] {
  return COMMAND_RULES.flatMap(({ programs }) => programs.split("|"));
}

/** Judges a command by its words. */
export function judgeByWords(program: string, args: readonly string[], guard: Inspector): void {
  const rules = programRules(program);
  if (rules.length === 0) return;
  const words = positionalWords(program, args);
  const found = rules.find((rule) => matches(rule, words, args));
  if (found !== undefined) guard.report(found.rule);
}

/** The words of a command without options and their values. */
export function positionalWords(program: string, args: readonly string[]): readonly string[] {
  const valued = new Set((VALUE_OPTIONS[program] ?? "").split(" "));
  const words: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--") continue;
    if (valued.has(arg)) index++;
    // `cargo +nightly` names a toolchain.
    else if (!arg.startsWith("-") && !(program === "cargo" && arg.startsWith("+"))) words.push(arg);
  }
  return words;
}

function matches(rule: CompiledRule, words: readonly string[], args: readonly string[]): boolean {
  const { matchers, isAnywhere, needs, unless } = rule;
  const fits = isAnywhere
    ? words.some((word) => matchers[0]?.(word))
    : matchers.length <= words.length && matchers.every((isMatch, index) => isMatch(words[index] ?? ""));
  if (!fits) return false;
  if (unless?.some((option) => hasArgument(args, option))) return false;
  return needs === undefined || needs.some((option) => hasArgument(args, option));
}

/**
 * True if an option or word is among the arguments, alone, with a value or within combined letters. `-X=DELETE` is an option with
 * that value in any form; `?` is an argument that is not known.
 */
function hasArgument(args: readonly string[], wanted: string): boolean {
  if (wanted === "?") return args.some(isUnknown);
  const [name = "", value] = wanted.split("=");
  if (value !== undefined)
    return args.some(
      (arg, index) =>
        arg.toLowerCase() === wanted.toLowerCase() ||
        (arg === name && args[index + 1]?.toLowerCase() === value.toLowerCase()) ||
        (!name.startsWith("--") && arg.toLowerCase() === `${name}${value}`.toLowerCase()),
    );
  const isLetter = /^-[a-zA-Z]$/.test(wanted);
  return args.some(
    (arg) =>
      arg === wanted ||
      (arg.startsWith(`${wanted}=`) && !/=(?:none|false)$/.test(arg)) ||
      (isLetter && isCombined(arg, wanted[1] ?? "")),
  );
}

function isCombined(arg: string, letter: string): boolean {
  return /^-[a-zA-Z]{2,4}$/.test(arg) && arg.includes(letter);
}
