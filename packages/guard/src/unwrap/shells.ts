import type { Call, Inspector } from "../paths.ts";
import { codeKind, copyScope, MARK } from "../shell/scope.ts";

export const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "fish", "rbash", "csh", "tcsh"]);

/** Judges what a shell is told to run: by `-c`, on stdin, or in a file that the line itself makes. Returns its output. */
export function unwrapShell({ args, stdin, scope }: Call, guard: Inspector): string {
  const { at, isCommand, onlyParses, readsStdin } = readShellOptions(args);
  if (onlyParses) return "";
  for (const [index, arg] of args.slice(0, at).entries()) {
    const file = /^--(?:rcfile|init-file)$/.test(arg) ? guard.content(args[index + 1] ?? "", scope) : undefined;
    if (file !== undefined) runCode(file, { args: [], stdin: undefined, scope }, guard);
  }
  const operand = args[at];
  if (isCommand) return operand === undefined ? "" : runCode(operand, { args: args.slice(at + 1), stdin, scope }, guard);
  if (operand === undefined || readsStdin || operand === "-" || operand === "/dev/stdin")
    return stdin === undefined ? "" : runCode(stdin, { args: ["bash", ...args.slice(at)], stdin: undefined, scope }, guard);
  const made = guard.content(operand, scope);
  return made === undefined ? MARK.output : runCode(made, { args: args.slice(at), stdin, scope }, guard);
}

interface ShellOptions {
  /** The index of the first word that is no option. */
  readonly at: number;
  readonly isCommand: boolean;
  readonly onlyParses: boolean;
  readonly readsStdin: boolean;
}

const VALUED = /^(?:[-+][a-zA-Z]*[oO]|--rcfile|--init-file|-C|--init-command)$/;

function readShellOptions(args: readonly string[]): ShellOptions {
  let at = 0;
  while (/^[-+]./.test(args[at] ?? "") && args[at] !== "--") at += VALUED.test(args[at] ?? "") ? 2 : 1;
  const own = args.slice(0, at);
  const hasLetter = (letter: string): boolean => own.some((arg) => /^-[a-zA-Z]+$/.test(arg) && arg.includes(letter));
  return {
    at: args[at] === "--" ? at + 1 : at,
    isCommand: hasLetter("c") || own.includes("--command"),
    onlyParses: hasLetter("n"),
    readsStdin: hasLetter("s"),
  };
}

/** Judges code for a new shell; its arguments begin with `$0`. Code of which nothing is known is reported. */
function runCode(code: string, { args, stdin, scope }: Pick<Call, "args" | "stdin" | "scope">, guard: Inspector): string {
  const kind = codeKind(code);
  if (kind === "unknown") guard.report("unknown-code");
  if (kind !== "text") return MARK.output;
  const own = copyScope(scope, { positional: args.slice(1), functions: new Map(), aliases: new Map() });
  if (args[0] !== undefined) own.variables.set("0", args[0]);
  return guard.line(code, own, stdin);
}

/** Judges code that another user's shell runs: `su -c`, `runuser -c`, `script -c`. */
export function unwrapCodeOption({ args, stdin, scope }: Call, guard: Inspector): string {
  const at = args.findIndex((arg) => /^(?:-[a-zA-Z]*c|--command)$/.test(arg));
  const attached = args.find((arg) => arg.startsWith("--command="))?.slice("--command=".length);
  const code = attached ?? (at === -1 ? stdin : args[at + 1]);
  return code === undefined ? "" : runCode(code, { args: [], stdin, scope }, guard);
}
