import type { RuleId } from "./rule-table.ts";
import type { Scope } from "./shell/scope.ts";

/** One program that a command line would start. Words may have marks (shell/marks.ts). */
export interface Call {
  /** Name of the program: without folder and version, in small letters. */
  readonly name: string;
  readonly args: readonly string[];
  /** Text on stdin; undefined if nothing is piped in. The content of a file is a mark. */
  readonly stdin: string | undefined;
  readonly scope: Scope;
  /** The program that the output is piped into and its arguments, if the pipe is known. */
  readonly reader?: readonly string[];
  /** The words of the programs before it in its pipe. */
  readonly before?: readonly string[];
}

/** How rules speak to the guard. */
export interface Inspector {
  /** Records that a rule forbids the command. */
  report(rule: RuleId): void;
  /** Judges shell code in a scope of its own. Returns its output. */
  line(text: string, scope: Scope, stdin?: string): string;
  /** The same for text that may be something else than shell code: parse errors do not count. */
  maybeLine(text: string, scope: Scope): void;
  /** Judges a program and its arguments. Returns its output. */
  words(words: readonly string[], call: Omit<Call, "name" | "args">): string;
  /** The content of a file that the line itself makes: by a redirection or a process substitution. */
  content(path: string, scope: Scope): string | undefined;
  /** Keeps what a program writes to a file. */
  keep(path: string, content: string, scope: Scope): void;
  /** True if the line looks for loopdash's own processes. */
  readonly findsLoopdash: boolean;
  /** True if the function would report something. Reports nothing. */
  isForbidden(judge: () => void): boolean;
}
