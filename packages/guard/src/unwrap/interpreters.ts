import type { Call, Inspector, Places } from "../paths.ts";
import { judgeCode } from "./code.ts";
import { judgePowerShell } from "./powershell.ts";

/** The options of interpreters that are followed by code: letters of short ones, names of long ones. */
const CODE_OPTIONS: Readonly<Record<string, RegExp>> = {
  python: /^-[a-zA-Z]*c$/,
  pypy: /^-[a-zA-Z]*c$/,
  node: /^(?:-[a-z]*[ep]|-pe|--eval|--print)$/,
  nodejs: /^(?:-[a-z]*[ep]|--eval|--print)$/,
  bun: /^(?:-e|-p|--eval|--print)$/,
  deno: /^eval$/,
  tsx: /^(?:-e|-p|--eval|--print)$/,
  "ts-node": /^(?:-e|-p|-pe|--eval)$/,
  perl: /^-[a-zA-Z0-9]*[eE]$/,
  ruby: /^-[a-zA-Z0-9]*e$/,
  php: /^(?:-r|--run)$/,
  lua: /^-e$/,
  luajit: /^-e$/,
  rscript: /^-e$/,
  julia: /^(?:-e|-E|--eval)$/,
  osascript: /^-e$/,
  r: /^-e$/,
  octave: /^--eval$/,
  elixir: /^(?:-e|--eval|--rpc-eval)$/,
  mix: /^-e$/,
  iex: /^(?:-e|--eval)$/,
  erl: /^-eval$/,
  groovy: /^-e$/,
  scala: /^-e$/,
  swift: /^-e$/,
  crystal: /^eval$/,
  clojure: /^(?:-e|-M|--eval)$/,
  clj: /^(?:-e|-M|--eval)$/,
  bb: /^(?:-e|--eval)$/,
  racket: /^-e$/,
  guile: /^-c$/,
  sbcl: /^--eval$/,
  raku: /^-e$/,
  ipython: /^-c$/,
  jrunscript: /^-e$/,
  jshell: /^$/,
  irb: /^$/,
  emacs: /^-{1,2}(?:eval|execute)$/,
  emacsclient: /^(?:-e|--eval)$/,
  rails: /^(?:runner|r)$/,
  artisan: /^--execute$/,
  "manage.py": /^-c$/,
  awk: /^$/,
};

/** Code in the same word as its option: `perl -e'…'`. */
function attachedCode(name: string, arg: string): string | undefined {
  const pattern = /^(?:perl|ruby|lua)$/.test(name)
    ? /^-[a-zA-Z0-9]*?[eE](.+)$/s
    : name === "python"
      ? /^-[a-zA-Z]*?c(.+)$/s
      : undefined;
  const code = pattern?.exec(arg)?.[1];
  return code !== undefined && /[\s("'`;]/.test(code) ? code : undefined;
}

/** True for programs whose arguments or stdin may be code. */
export function isInterpreter(name: string): boolean {
  return Object.hasOwn(CODE_OPTIONS, name) || isPowerShell(name);
}

/** True if the program prints the value of the code. */
function isPrinting(name: string, option: string): boolean {
  return /^(?:node|nodejs|bun|tsx|ts-node)$/.test(name) && /^(?:-[a-z]*p[a-z]*|--print)$/.test(option);
}

function isPowerShell(name: string): boolean {
  return name === "pwsh" || name === "powershell";
}

/** Judges the code that an interpreter is given as an argument, or on stdin. Script files are not read. */
export function judgeInterpreter(call: Call, guard: Inspector, places: Places): void {
  const { name, args, stdin, scope } = call;
  if (isPowerShell(name)) return judgePowerShell(call, guard, places);
  const isCodeOption = CODE_OPTIONS[name];
  const codes = args.flatMap((arg, index) => {
    const code = args[index + 1];
    if (isCodeOption?.test(arg)) return code === undefined ? [] : isPrinting(name, arg) ? `print ${code}` : code;
    return /^--(?:eval|print|run|execute)=([\s\S]*)$/.exec(arg)?.[1] ?? attachedCode(name, arg) ?? [];
  });
  const script = args.find((arg) => !arg.startsWith("-") || arg === "-");
  const isStdin =
    codes.length === 0 &&
    stdin !== undefined &&
    (script === undefined || /^(?:-|\/dev\/stdin|console|c|tinker|shell)$/.test(script));
  for (const code of isStdin ? [stdin] : codes) judgeCode(code, { scope, guard, places });
  const made = codes.length === 0 && script !== undefined ? guard.content(script, scope) : undefined;
  if (made !== undefined) judgeCode(made, { scope, guard, places });
}
