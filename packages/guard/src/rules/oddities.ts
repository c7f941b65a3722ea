import { hasOption, optionValue, readOptions } from "../options.ts";
import type { Call, Inspector, Places } from "../paths.ts";
import { isExact, isUnknown } from "../shell/scope.ts";
import { judgeCmd } from "../unwrap/powershell.ts";
import { judgeArchiver, judgeRemoteModule, judgeSweeper, judgeTar } from "./archives.ts";
import { judgeDeletion, judgeEmptying, judgeWrite } from "./deletion.ts";
import { judgeEscapingProgram, judgeTcl, judgeVimDelete } from "./escapes.ts";
import { keepMount } from "./links.ts";
import { judgeEnvironment } from "./secrets.ts";

type JudgeOddity = (call: Call, guard: Inspector, places: Places) => void;

/** Programs that run code or do harm in ways of their own. */
const ODDITIES: Readonly<Record<string, JudgeOddity>> = {
  awk: judgeAwk,
  gawk: judgeAwk,
  mawk: judgeAwk,
  nawk: judgeAwk,
  sed: judgeSed,
  gsed: judgeSed,
  perl: judgeInPlace,
  tar: judgeTar,
  kill: judgeKill,
  fuser: ({ args }, guard) => {
    if (hasOption(readOptions(args, {}), "k", "kill") && args.some(namesLoopdash)) guard.report("kill-loopdash");
  },
  killall: ({ args }, guard) => {
    if (args.includes("-u") || args.includes("--user")) guard.report("machine-off");
    if (args.some(namesLoopdash)) guard.report("kill-loopdash");
  },
  crontab: ({ args, stdin }, guard) => {
    const replaces =
      args.some((arg) => /^-[a-z]*r/.test(arg)) ||
      (args.length === 0 && stdin !== undefined) ||
      args.some((arg) => arg === "-" || !arg.startsWith("-"));
    if (replaces) guard.report("remove-schedule");
  },
  at: judgeCodeOnStdin,
  batch: judgeCodeOnStdin,
  tmux: judgeTerminal,
  screen: judgeTerminal,
  vim: judgeEditor,
  vi: judgeEditor,
  nvim: judgeEditor,
  ex: judgeEditor,
  man: ({ args, scope }, guard) =>
    judgeCode(optionValue(readOptions(args, { letters: "P", names: ["pager"] }), "P", "pager"), guard, scope),
  kubectl: ({ args }, guard) => {
    if (args.includes("patch") && args.some((arg) => /finalizers["']?\s*:\s*(?:null|\[\s*\])/.test(arg)))
      guard.report("kubernetes-delete");
  },
  nc: judgeRawServer,
  ncat: judgeRawServer,
  telnet: judgeRawServer,
  unzip: ({ args, scope }, guard, places) => {
    const folder = optionValue(readOptions(args, { letters: "d" }), "d");
    if (folder !== undefined) judgeWrite(`${folder}/file`, scope, guard, places);
  },
  cmd: judgeCmd,
  cmake: ({ args, scope }, guard, places) => {
    if (args[0] !== "-E" || !/^(?:rm|remove|remove_directory)$/.test(args[1] ?? "")) return;
    for (const arg of args.slice(2)) if (!arg.startsWith("-")) judgeDeletion(arg, { scope, guard, places, isRecursive: true });
  },
  gio: ({ args, scope }, guard, places) => {
    if (args[0] !== "remove") return;
    for (const arg of args.slice(1)) if (!arg.startsWith("-")) judgeDeletion(arg, { scope, guard, places, isRecursive: true });
  },
  npm: judgeScripts,
  pnpm: judgeScripts,
  yarn: judgeScripts,
  bun: judgeScripts,
  expect: judgeTcl,
  tclsh: judgeTcl,
  wish: judgeTcl,
  gdb: judgeEscapingProgram,
  lldb: judgeEscapingProgram,
  less: judgeEscapingProgram,
  more: judgeEscapingProgram,
  ed: judgeEscapingProgram,
  red: judgeEscapingProgram,
  ftp: judgeEscapingProgram,
  zip: judgeArchiver,
  "7z": judgeArchiver,
  "7za": judgeArchiver,
  "7zz": judgeArchiver,
  rar: judgeArchiver,
  fdupes: judgeSweeper,
  jdupes: judgeSweeper,
  rdfind: judgeSweeper,
  tmpreaper: judgeSweeper,
  tmpwatch: judgeSweeper,
  ansible: judgeRemoteModule,
  salt: judgeRemoteModule,
  "salt-ssh": judgeRemoteModule,
  "salt-call": judgeRemoteModule,
  mount: (call, _guard, places) => keepMount(call, places),
  ps: ({ args, reader }, guard) => {
    if (/^[a-z]*e[a-z]*$/.test(args[0] ?? "") && /w/.test(args[0] ?? "")) judgeEnvironment(reader, guard);
  },
  pkill: ({ args }, guard) => {
    if (args.some((arg) => /^(?:-u|-U|--uid|--euid|\.|\.\*)$/.test(arg))) guard.report("machine-off");
    if (args.some(namesLoopdash)) guard.report("kill-loopdash");
  },
  concurrently: ({ args, scope }, guard) => {
    for (const arg of args) if (!arg.startsWith("-")) guard.maybeLine(arg, scope);
  },
  ssh: ({ args, scope }, guard) => {
    for (const arg of args) judgeCode(/^(?:-o)?(?:ProxyCommand|LocalCommand)[= ](.*)$/is.exec(arg)?.[1], guard, scope);
  },
  gh: ({ args }, guard) => {
    const text = args.join(" ");
    if (args.includes("graphql") && /\bmutation\b/.test(text) && /delete|merge|archive|transfer|updateRef/i.test(text))
      guard.report("change-repository");
  },
  make: judgeMake,
  gmake: judgeMake,
  "git-filter-repo": (_call, guard) => guard.report("git-rewrite"),
  bfg: (_call, guard) => guard.report("git-rewrite"),
  gpg: ({ args }, guard) => {
    if (args.some((arg) => /^--export-secret/.test(arg))) guard.report("print-secret");
  },
  mkfifo: () => undefined,
};

/** Judges what a program does in a way of its own. */
export function judgeOddities(call: Call, guard: Inspector, places: Places): void {
  if (Object.hasOwn(ODDITIES, call.name)) ODDITIES[call.name]?.(call, guard, places);
}

function judgeCode(code: string | undefined, guard: Inspector, scope: Call["scope"]): void {
  if (code !== undefined) guard.maybeLine(code, scope);
}

function judgeAwk(call: Call, guard: Inspector): void {
  const { args, scope } = call;
  judgeGivenCode(call, guard);
  for (const arg of args) {
    for (const [, code = ""] of arg.matchAll(/(?:system\s*\(|\|\s*(?:getline)?|print[^|]*\|)\s*"((?:[^"\\]|\\.)*)"/g))
      guard.maybeLine(code.replace(/\\(.)/g, "$1"), scope);
    for (const [, code = ""] of arg.matchAll(/"((?:[^"\\]|\\.)*)"\s*\|\s*getline/g))
      guard.maybeLine(code.replace(/\\(.)/g, "$1"), scope);
    if (/ENVIRON/.test(arg) && /for\s*\(/.test(arg)) guard.report("print-environment");
  }
}

/** Judges commands that awk does not have in its code, but is given: in its input, or in a variable. */
function judgeGivenCode({ args, stdin, scope }: Call, guard: Inspector): void {
  if (args.some((arg) => /system\s*\(\s*\$|print[^|;}]*\|\s*"(?:ba|da|z)?sh/.test(arg))) {
    if (stdin === undefined || isUnknown(stdin)) guard.report("unknown-code");
    else guard.maybeLine(stdin, scope);
  }
  const given = readOptions(args, { letters: "vFf", names: ["assign"] });
  // The command may come in a variable.
  if (args.some((arg) => /system\s*\(\s*[a-z]/i.test(arg)))
    for (const value of [...(given.values.get("v") ?? []), ...(given.values.get("assign") ?? [])])
      guard.maybeLine(value.replace(/^\w+=/, ""), scope);
}

/** GNU sed runs what follows `e` as a command; `-i` changes files. */
function judgeSed({ args, scope }: Call, guard: Inspector, places: Places): void {
  const options = readOptions(args, { letters: "efl", names: ["expression", "file"] });
  const isInPlace = args.some((arg) => /^-[a-zA-Z]*i|^--in-place/.test(arg));
  const given = [...(options.values.get("e") ?? []), ...(options.values.get("expression") ?? [])];
  const codes = given.length > 0 ? given : options.operands.slice(0, 1);
  const files = given.length > 0 ? options.operands : options.operands.slice(1);
  for (const code of codes) {
    const command = /(?:^|[;{}\n]|^[\d,$]+|\/)\s*[\d,$]*e\s+(.+)$/s.exec(code)?.[1];
    if (command !== undefined) guard.maybeLine(command, scope);
    const [, , replacement] = /s(.)(?:(?!\1)[^\\]|\\.)*\1((?:(?!\1)[^\\]|\\.)*)\1[gIp\d]*e/s.exec(code) ?? [];
    if (replacement !== undefined) guard.maybeLine(replacement.replace(/\\(.)/g, "$1"), scope);
  }
  if (!isInPlace) return;
  const empties = args.some((arg) => /^-[a-zA-Z]*n|^--quiet$/.test(arg)) || codes.some((code) => /^(?:1?,?\$?)d$/.test(code));
  for (const file of files) {
    judgeWrite(file, scope, guard, places);
    if (empties) judgeEmptying(file, { scope, guard, places });
  }
}

function judgeInPlace({ args, scope }: Call, guard: Inspector, places: Places): void {
  if (!args.some((arg) => /^-[a-zA-Z]*i/.test(arg))) return;
  const options = readOptions(args, { letters: "eEIM" });
  const empties = args.some((arg) => /^-[a-zA-Z]*n/.test(arg));
  for (const file of options.operands) {
    judgeWrite(file, scope, guard, places);
    if (empties) judgeEmptying(file, { scope, guard, places });
  }
}

function judgeKill({ args }: Call, guard: Inspector): void {
  const isSignal = (arg: string, index: number): boolean => index === 0 && /^-/.test(arg);
  if (args.some((arg, index) => arg === "-1" && !isSignal(arg, index))) guard.report("machine-off");
  if (args.at(-1) === "1" && args.length > 1) guard.report("machine-off");
  if (guard.findsLoopdash && args.some((arg, index) => !isSignal(arg, index) && !isExact(arg))) guard.report("kill-loopdash");
}

/** loopdash, and no other name that has it as a part. */
const OWN_NAME = /(?:^|[^\w-])loopdash(?![\w-])/i;

/** True for a word that names loopdash. A class of one letter (`[l]oopdash`) keeps a search for processes from finding itself. */
export function namesLoopdash(word: string): boolean {
  return OWN_NAME.test(word.replace(/\[(\w)\]/g, "$1"));
}

/** Judges scripts of `package.json` that the line itself sets, by `npm pkg set` or by writing the file. */
function judgeScripts({ args, scope }: Call, guard: Inspector): void {
  if (args[0] === "pkg" && args[1] === "set")
    for (const arg of args.slice(2))
      judgeCode(/^scripts\.[\w:.-]+=(.*)$/s.exec(arg)?.[1]?.replace(/^"(.*)"$/s, "$1"), guard, scope);
  const text = guard.content("package.json", scope) ?? "";
  const scripts = /"scripts"\s*:\s*\{([^}]*)\}/.exec(text)?.[1] ?? "";
  for (const [, code] of scripts.matchAll(/:\s*"((?:[^"\\]|\\.)*)"/g)) judgeCode(code?.replace(/\\(.)/g, "$1"), guard, scope);
}

/** Judges recipes that the line itself gives to `make`: on stdin, in a file, or by `--eval`. */
function judgeMake({ args, scope, stdin }: Call, guard: Inspector): void {
  const { values } = readOptions(args, { letters: "fCIjoW", names: ["file", "makefile", "eval", "directory"] });
  const files = [...(values.get("f") ?? []), ...(values.get("file") ?? []), ...(values.get("makefile") ?? [])];
  const texts = (files.length > 0 ? files : ["Makefile", "makefile", "GNUmakefile"]).map((file) =>
    file === "-" || file === "/dev/stdin" ? stdin : guard.content(file, scope),
  );
  texts.push(...(values.get("eval") ?? []));
  for (const line of texts.flatMap((text) => (text ?? "").split("\n"))) {
    const recipe =
      /^\t(.*)$/s.exec(line)?.[1] ?? /^[\w.%/ -]+:[^=;]*;(.*)$/s.exec(line)?.[1] ?? /\$\(shell\s+(.*)\)/s.exec(line)?.[1];
    if (recipe !== undefined)
      guard.maybeLine(
        recipe
          .replace(/^[\s@+-]+/, "")
          .replace(/\$\((\w+)\)/g, (_whole, name: string) => ["${", name, "}"].join(""))
          .replaceAll("$$", "$"),
        scope,
      );
  }
  for (const arg of args) judgeCode(/^(?:SHELL=|\w*CMD=)(.*)$/s.exec(arg)?.[1], guard, scope);
}

/** Stores of keys and values speak lines of text. */
function judgeRawServer({ stdin }: Call, guard: Inspector): void {
  if (/^\s*(?:flushall|flushdb|flush_all|shutdown)\b/im.test(stdin ?? "")) guard.report("document-delete");
}

function judgeCodeOnStdin({ stdin, scope }: Call, guard: Inspector): void {
  if (stdin !== undefined && !isUnknown(stdin)) guard.line(stdin, scope);
}

/** Terminal multiplexers start what their last words say, or type it. */
function judgeTerminal({ args, scope }: Call, guard: Inspector): void {
  for (const arg of args) if (/\s/.test(arg)) guard.maybeLine(arg, scope);
  const at = args.findIndex((arg) => /^(?:-dmS?|-X)$/.test(arg));
  if (at !== -1) guard.maybeLine(args.slice(at + (args[at] === "-dmS" ? 2 : 1)).join(" "), scope);
}

function judgeEditor(call: Call, guard: Inspector, places: Places): void {
  const { args, scope } = call;
  judgeEscapingProgram(call, guard);
  judgeVimDelete(call, guard, places);
  for (const arg of args) judgeCode(/^\+?:?!(.*)$/s.exec(arg)?.[1] ?? /\bsystem\(["'](.*)["']\)/s.exec(arg)?.[1], guard, scope);
}
