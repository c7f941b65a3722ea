import { absolutePath, type Call, type Inspector, matchesGlob, type Places } from "./paths.ts";
import { judgeUpload } from "./rules/archives.ts";
import { judgeCopy, judgeRsync, judgeUnison } from "./rules/copies.ts";
import { judgeDatabase } from "./rules/databases.ts";
import {
  judgeAttributes,
  judgeDd,
  judgeDeleter,
  judgeDiskTool,
  judgePermissions,
  judgeRm,
  judgeWrite,
} from "./rules/deletion.ts";
import { judgeHttp } from "./rules/http.ts";
import { judgeByWords, ruledPrograms } from "./rules/match-command.ts";
import { judgeOddities } from "./rules/oddities.ts";
import { judgeEnvironment, judgeReads, judgeVariables } from "./rules/secrets.ts";
import { programOutput } from "./shell/outputs.ts";
import { prefixedOutput } from "./shell/prefixed.ts";
import { isExact, isGlob, isUnknown, MARK, type ShellScope, UNTRACKED } from "./shell/scope.ts";
import { unwrapFd, unwrapFind, unwrapParallel, unwrapXargs } from "./unwrap/each.ts";
import { unwrapGit } from "./unwrap/git.ts";
import { isInterpreter, judgeInterpreter } from "./unwrap/interpreters.ts";
import { judgeLineOptions } from "./unwrap/launchers.ts";
import { SHELLS, unwrapCodeOption, unwrapShell } from "./unwrap/shells.ts";
import { unwrap, unwrapEnv } from "./unwrap/wrappers.ts";

type JudgeProgram = (call: Call, guard: Inspector, places: Places) => void;

const PROGRAMS: Readonly<Record<string, JudgeProgram>> = {
  rm: judgeRm,
  grm: judgeRm,
  mkdir: ({ args, scope }) => keepFolders(args, scope),
  rmdir: (call, guard, places) => judgeDeleter(call, guard, places),
  rimraf: judgeDeleter,
  "del-cli": judgeDeleter,
  srm: judgeDeleter,
  shred: judgeDeleter,
  unlink: judgeDeleter,
  truncate: judgeDeleter,
  dd: judgeDd,
  wipefs: judgeDiskTool,
  fdisk: judgeDiskTool,
  sfdisk: judgeDiskTool,
  sgdisk: judgeDiskTool,
  parted: judgeDiskTool,
  blkdiscard: judgeDiskTool,
  cryptsetup: judgeDiskTool,
  diskutil: judgeDiskTool,
  mkswap: judgeDiskTool,
  mv: judgeCopy,
  cp: judgeCopy,
  ln: judgeCopy,
  install: judgeCopy,
  chmod: judgePermissions,
  chown: judgePermissions,
  chgrp: judgePermissions,
  setfacl: judgePermissions,
  chattr: judgeAttributes,
  rsync: judgeRsync,
  unison: judgeUnison,
  tee: ({ args, scope }, guard, places) => {
    for (const arg of args) if (!arg.startsWith("-")) judgeWrite(arg, scope, guard, places);
  },
  git: unwrapGit,
  fd: unwrapFd,
  fdfind: unwrapFd,
  xargs: unwrapXargs,
  parallel: unwrapParallel,
};

/** Programs that are forbidden something; a pattern as a program's name is matched with these. */
function dangerousPrograms(): readonly string[] {
  return [...Object.keys(PROGRAMS), ...ruledPrograms(), "find", "sudo", "env", "eval", ...SHELLS];
}

/** An unknown program is judged as each of these. */
const CANDIDATES = ["rm", "git", "kubectl", "terraform", "docker", "find", "chmod", "npm", "gh", "aws"];

/** Programs whose arguments are programs or code. Undefined: what is left is judged as of any program. */
const STARTERS: Readonly<Record<string, (call: Call, guard: Inspector, places: Places) => string | undefined>> = {
  env: judgeEnv,
  genv: judgeEnv,
  su: unwrapCodeOption,
  runuser: (call, guard) => {
    const at = call.args.findIndex((arg) => /^(?:-u|--user)$/.test(arg));
    const { name: _, args, ...frame } = call;
    if (at === -1) return unwrapCodeOption(call, guard);
    return guard.words(args[at + 2] === "--" ? args.slice(at + 3) : args.slice(at + 2), frame);
  },
  script: unwrapCodeOption,
  find: unwrapFind,
  gfind: unwrapFind,
  command: (call, guard) =>
    call.args.some((arg) => /^-[vV]$/.test(arg)) ? programOutput("command", outputInput(call, guard)) : unwrap(call, guard),
  docker: alsoOwn,
  podman: alsoOwn,
  "docker-compose": alsoOwn,
  ssh: (call, guard, places) => {
    judgeOddities(call, guard, places);
    return unwrap(call, guard);
  },
};

/** Judges a program and what it starts. Returns its output. */
export function judgeProgram(
  words: readonly string[],
  frame: Omit<Call, "name" | "args">,
  guard: Inspector,
  places: Places,
): string {
  const [first = "", ...args] = words;
  const name = programName(first);
  if (name === undefined) return judgeUnknown(first, args, frame, guard);
  const call: Call = { ...frame, name, args };
  const made = first.includes("/") ? guard.content(first, frame.scope) : undefined;
  if (made !== undefined && made !== MARK.output) return judgeMade(made, { ...call, args: words }, guard, places);
  if (SHELLS.has(name)) return unwrapShell(call, guard);
  judgeLineOptions(call, guard);
  const starter = Object.hasOwn(STARTERS, name) ? STARTERS[name] : unwrap;
  const output = starter?.(call, guard, places);
  if (output !== undefined) return output;
  judgeOwn(call, guard, places);
  if (isShellSetup(call)) return "";
  return gitOutput(call, places) ?? prefixedOutput(call) ?? programOutput(name, outputInput(call, guard));
}

/** Judges a script that the line itself writes and starts: its first line names the interpreter. */
function judgeMade(text: string, call: Call, guard: Inspector, places: Places): string {
  const interpreter = programName(/^#!\s*\S*?(?:\/env\s+(?:-S\s+)?)?([\w.-]+)(?:\s|$)/.exec(text)?.[1] ?? "") ?? "";
  if (!isInterpreter(interpreter)) return unwrapShell(call, guard);
  judgeInterpreter({ ...call, name: interpreter }, guard, places);
  return MARK.output;
}

function judgeEnv(call: Call, guard: Inspector): string {
  const output = unwrapEnv(call, guard);
  if (output === undefined && !call.args.some((arg) => /^--(?:help|version)$/.test(arg))) judgeEnvironment(call.reader, guard);
  return output ?? MARK.output;
}

/** Containers: what runs in one is judged, and what the program itself does. */
function alsoOwn(call: Call, guard: Inspector): undefined {
  unwrap(call, guard);
}

function keepFolders(args: readonly string[], scope: ShellScope): void {
  for (const arg of args) {
    const path = arg.startsWith("-") ? undefined : absolutePath(arg, scope);
    if (path !== undefined) scope.made.add(path);
  }
}

/** Judges what a program does itself. */
function judgeOwn(call: Call, guard: Inspector, places: Places): void {
  const { name, args } = call;
  const judge = PROGRAMS[name];
  if (judge !== undefined && Object.hasOwn(PROGRAMS, name)) judge(call, guard, places);
  else if (/^mkfs(?:\..*)?$|^mke2fs$|^newfs/.test(name)) judgeDiskTool(call, guard);
  if (isInterpreter(name)) {
    judgeInterpreter(call, guard, places);
    judgeModule(call, guard, places);
  }
  judgeByWords(name, args, guard);
  judgeDatabase(call, guard, places);
  judgeReads(call, guard, places);
  judgeUpload(call, guard, places);
  judgeHttp(call, guard);
  judgeVariables(call, guard);
  judgeOddities(call, guard, places);
}

/** Judges a script that is a known program: `python -m twine`, `php artisan`, `node node_modules/.bin/prisma`. */
function judgeModule(call: Call, guard: Inspector, places: Places): void {
  const { args, name } = call;
  const at = name === "python" ? args.indexOf("-m") + 1 : 0;
  const script = args.findIndex((arg, index) => index >= at && !arg.startsWith("-"));
  if (script === -1 || args.slice(0, script).some((arg) => /^-[a-zA-Z]*[ceEpr]$/.test(arg))) return;
  const program = programName(args[script] ?? "");
  if (program !== undefined && program !== name)
    judgeOwn({ ...call, name: program, args: args.slice(script + 1) }, guard, places);
}

function outputInput({ args, stdin, scope }: Call, guard: Inspector): Parameters<typeof programOutput>[1] {
  return { args, stdin, scope, content: (path) => guard.content(path, scope) };
}

/** Programs that print code for the shell to set themselves up: an agent of ssh, versions, completions. */
const SETUP =
  /^(?:ssh-agent|gpg-agent|keychain|direnv|pyenv|rbenv|nodenv|jenv|goenv|fnm|nvm|volta|brew|mise|rtx|asdf|starship|zoxide|conda|mamba|micromamba|opam|luarocks|minikube|docker-machine|dircolors|rustup|thefuck|atuin|fzf|loopdash|register-python-argcomplete)$/;

/** True for commands whose output is meant for `eval` or `source`. */
function isShellSetup({ name, args }: Call): boolean {
  return SETUP.test(name) || (args[0] ?? "").startsWith("completion") || args.some((arg) => /^--completion/.test(arg));
}

function gitOutput({ name, args }: Call, { worktree }: Places): string | undefined {
  if (name === "git" && args.includes("ls-files") && args.some((arg) => /^(?:-\w*o\w*|--others)$/.test(arg))) return UNTRACKED;
  return name === "git" && args.includes("--show-toplevel") ? worktree : undefined;
}

/** The name of a program: without folder, version and ending, in small letters. Undefined if it cannot be known. */
function programName(word: string): string | undefined {
  const base = word.slice(word.lastIndexOf("/") + 1);
  if (isUnknown(base)) return undefined;
  const name = base.toLowerCase().replace(/\.exe$/, "");
  if (isGlob(name)) return dangerousPrograms().find((dangerous) => matchesGlob(name, dangerous)) ?? name;
  return /^(?:python|pypy|perl|ruby|php|lua|node|pip)[\d.]+$/.test(name) ? name.replace(/[\d.]+$/, "") : name;
}

/**
 * Judges a program whose name cannot be known. The output of a command as a program is unknown code. A variable is judged as if
 * it were each of some dangerous programs.
 */
function judgeUnknown(first: string, args: readonly string[], frame: Omit<Call, "name" | "args">, guard: Inspector): string {
  if (first.includes(MARK.output)) guard.report("unknown-code");
  else if (args.length > 0 && args.some(isExact)) {
    for (const candidate of CANDIDATES) {
      if (!guard.isForbidden(() => guard.words([candidate, ...args], frame))) continue;
      // `$EDITOR /etc/hosts` is no deletion: a program that deletes is told so by its options.
      if (candidate === "rm" && !args.some((arg) => /^-[a-zA-Z]*[rRf]|^--(?:rec|for)/.test(arg))) continue;
      guard.words([candidate, ...args], frame);
    }
  }
  return MARK.output;
}
