import { optionValue, readOptions } from "../options.ts";
import type { Call, Inspector, Places } from "../paths.ts";
import { type GitCommand, judgeGit, runsHooks } from "../rules/git.ts";
import { isSecretFile } from "../rules/secrets.ts";
import { isExact, type ShellScope } from "../shell/scope.ts";

/** Options of git itself that take the next word as their value. */
const VALUED = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env|--attr-source|--list-cmds)$/;

/** Settings whose values are commands that git runs in a shell. */
const COMMAND_SETTINGS =
  /^(?:core\.(?:pager|editor|sshcommand|askpass|fsmonitor|gitproxy|alternaterefscommand)|pager\..*|sequence\.editor|diff\.external|.*\.(?:textconv|cmd|clean|smudge|process|driver|command|path|program|helper|upload-?pack|receivepack|sendemailcmd|packobjectshook|editor))$/;

/** Variables whose values are commands that git, or another program, runs in a shell. */
const COMMAND_VARIABLES =
  /^(?:GIT_(?:SSH_COMMAND|SSH|PAGER|EDITOR|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|PROMPT_COMMAND|LESSOPEN|SSH_ASKPASS)$/;

/** Judges variables that a command is given. */
export function judgeEnvironmentVariables(assignments: ReadonlyMap<string, string>, scope: ShellScope, guard: Inspector): void {
  for (const [name, value] of assignments) {
    if (COMMAND_VARIABLES.test(name)) guard.maybeLine(value, scope);
    if (/^TF_CLI_ARGS/.test(name) && /auto-approve|destroy/.test(value)) guard.report("terraform-destroy");
    if (/^GIT_CONFIG_(?:GLOBAL|SYSTEM)$/.test(name)) judgeConfigFile(value, scope, guard);
    if (name === "GIT_CONFIG_PARAMETERS") judgeParameters(value, scope, guard);
    const index = /^GIT_CONFIG_KEY_(\d+)$/.exec(name)?.[1];
    if (index !== undefined) judgeGiven(value, assignments.get(`GIT_CONFIG_VALUE_${index}`) ?? "", scope, guard);
  }
}

/** Judges a setting that a command is given. */
function judgeGiven(name: string, value: string, scope: ShellScope, guard: Inspector): void {
  judgeSetting(name, value, scope, guard);
  if (/^core\.hookspath$/i.test(name) && isOutside(value)) guard.report("git-hooks-off");
}

/** `GIT_CONFIG_PARAMETERS` has settings in quotes. */
function judgeParameters(text: string, scope: ShellScope, guard: Inspector): void {
  for (const [, name = "", value = ""] of text.matchAll(/'([^'=]+)'?='?([^']*)'/g)) judgeGiven(name, value, scope, guard);
}

/** Judges a setting of git: an alias or a command. */
function judgeSetting(name: string, value: string, scope: ShellScope, guard: Inspector): void {
  const key = name.toLowerCase();
  if (key.startsWith("alias.")) judgeAlias(value, [], scope, guard);
  else if (key === "core.hookspath") judgeHooks(value, scope, guard);
  else if (key === "include.path" || key.startsWith("includeif.")) judgeConfigFile(value, scope, guard);
  else if (/^remote\..*\.push$/.test(key) && value.startsWith("+")) guard.report("git-force-push");
  else if (/^remote\..*\.mirror$/.test(key) && /^(?:true|1|yes|on|)$/i.test(value)) guard.report("git-force-push");
  else if (COMMAND_SETTINGS.test(key)) guard.maybeLine(value.replace(/^!/, ""), scope);
}

const HOOKS = (
  "pre-commit prepare-commit-msg commit-msg post-commit pre-merge-commit post-merge pre-rebase post-rewrite post-checkout pre-push " +
  "applypatch-msg pre-applypatch post-applypatch pre-auto-gc post-index-change reference-transaction fsmonitor-watchman " +
  "pre-receive update post-receive post-update push-to-checkout sendemail-validate"
).split(" ");

/** Judges hooks that the line itself writes. */
function judgeHooks(folder: string, scope: ShellScope, guard: Inspector): void {
  for (const hook of HOOKS) {
    const path = `${folder.replace(/\/$/, "")}/${hook}`;
    if (guard.content(path, scope) !== undefined) guard.words([path], { scope, stdin: undefined });
  }
}

/** Judges the settings in a file that the line itself writes. */
function judgeConfigFile(path: string, scope: ShellScope, guard: Inspector): void {
  let section = "";
  for (const line of (guard.content(path, scope) ?? "").split("\n")) {
    const [, name, sub] = /^\s*\[\s*([\w.-]+)(?:\s+"(.*)")?\s*\]/.exec(line) ?? [];
    if (name !== undefined) section = sub === undefined ? name : `${name}.${sub}`;
    const [, key, value = ""] = /^\s*(?:\[.*\]\s*)?([\w-]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (key !== undefined) judgeSetting(`${section}.${key}`, value.replace(/^"(.*)"$/, "$1"), scope, guard);
  }
}

function judgeAlias(value: string, args: readonly string[], scope: ShellScope, guard: Inspector): void {
  if (value.startsWith("!")) guard.maybeLine([value.slice(1), ...args].join(" "), scope);
  else guard.words(["git", ...value.split(/\s+/), ...args], { scope, stdin: undefined });
}

/** Judges a call of git: its settings and aliases, what it starts, and what its subcommand does. */
export function unwrapGit(call: Call, guard: Inspector, places: Places): void {
  const { args, scope } = call;
  const { settings, at } = readSettings(args);
  for (const [name, value] of settings) judgeSetting(name, value, scope, guard);
  const subcommand = args[at] ?? "";
  const own = args.slice(at + 1);
  const alias = settings.get(`alias.${subcommand.toLowerCase()}`);
  if (alias !== undefined) return judgeAlias(alias, own, scope, guard);
  const command = { subcommand, args: own, settings, scope };
  judgeStarted(command, guard);
  judgeGit(command, guard);
  if (runsHooks(subcommand)) judgeHooksOff(settings, scope, guard);
  if (subcommand === "diff" && undoes(own, call.reader)) guard.report("git-discard");
  if ((subcommand === "add" || subcommand === "stage") && addsSecret(own, scope, places)) guard.report("commit-secret");
  if (/^(?:show|cat-file|diff|blame|annotate)$/.test(subcommand) && showsSecret(own, scope, places)) guard.report("read-secret");
}

/** Variables by which programs that install hooks are told to run none, with these values. */
const HOOKS_OFF: Readonly<Record<string, RegExp>> = {
  HUSKY: /^0$/,
  HUSKY_SKIP_HOOKS: /^(?:1|true)$/,
  LEFTHOOK: /^(?:0|false)$/,
};

/** Reports hooks that are switched off by a variable, or by a setting of the line. */
function judgeHooksOff(settings: ReadonlyMap<string, string>, scope: ShellScope, guard: Inspector): void {
  const isOff = Object.entries(HOOKS_OFF).some(([name, off]) => off.test(String(scope.variables.get(name) ?? "")));
  if (isOff || isOutside(settings.get("core.hookspath"))) guard.report("git-hooks-off");
}

/** True for a folder of hooks that the repository does not have: no hooks, or somebody else's. */
function isOutside(folder: string | undefined): boolean {
  return folder !== undefined && /^(?:$|\/|~|\.\.)/.test(folder);
}

/** Reads the settings before the subcommand, and finds the subcommand. */
function readSettings(args: readonly string[]): { readonly settings: ReadonlyMap<string, string>; readonly at: number } {
  const settings = new Map<string, string>();
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (!arg.startsWith("-")) break;
    const attached = /^(?:-c|--config-env=)(.+)$/.exec(arg)?.[1];
    const setting = arg === "-c" ? (args[at + 1] ?? "") : attached;
    if (setting !== undefined && arg !== "--config-env") {
      const [name = "", ...value] = setting.split("=");
      settings.set(name.toLowerCase(), value.join("="));
    }
    if (VALUED.test(arg)) at++;
  }
  return { settings, at };
}

/** True if a diff of uncommitted changes is applied backwards. */
function undoes(args: readonly string[], reader: readonly string[] | undefined): boolean {
  const isApplied =
    reader?.[0] === "patch" ||
    (reader?.[0] === "git" && reader.includes("apply") && !reader.some((word) => /^--(?:check|stat)$/.test(word)));
  const isReversed = reader?.some((word) => /^(?:-R|--reverse|-p\d+R|-R\w+)$/.test(word)) === true;
  const operands = args.slice(0, args.includes("--") ? args.indexOf("--") : undefined).filter((arg) => !arg.startsWith("-"));
  const isUncommitted =
    operands.every((operand) => /^(?:HEAD|@)$/.test(operand) || /[./]/.test(operand)) &&
    !operands.some((operand) => operand.includes(".."));
  return isApplied && isReversed && isUncommitted;
}

/** True if the content of a file with credentials is shown. */
function showsSecret(args: readonly string[], scope: ShellScope, places: Places): boolean {
  const isSummary = args.some((arg) => /^--(?:stat|shortstat|numstat|name-only|name-status|quiet|exit-code)$|^-[est]$/.test(arg));
  return !isSummary && args.some((arg) => !arg.startsWith("-") && isSecretFile(arg.replace(/^[^:]*:(?=.)/, ""), scope, places));
}

/** True if `git add` is told to add a file with credentials. */
function addsSecret(args: readonly string[], scope: ShellScope, places: Places): boolean {
  const { operands, longs, shorts } = readOptions(args, { names: ["pathspec-from-file", "chmod"] });
  if (longs.includes("dry-run") || shorts.has("n") || longs.includes("intent-to-add")) return false;
  return operands.some((operand) => isExact(operand) && isSecretFile(operand, scope, places));
}

/** Judges what a subcommand starts. */
function judgeStarted({ subcommand, args, scope }: GitCommand, guard: Inspector): void {
  switch (subcommand) {
    case "config":
      return judgeConfig(args, scope, guard);
    case "rebase": {
      const { values } = readOptions(args, { letters: "xsXC", names: ["exec", "onto", "strategy"] });
      for (const code of [...(values.get("x") ?? []), ...(values.get("exec") ?? [])]) guard.line(code, scope);
      return;
    }
    case "bisect":
      if (args[0] === "run") guard.words(args.slice(1), { scope, stdin: undefined });
      return;
    case "submodule":
      if (args.includes("foreach"))
        guard.line(args.filter((arg) => !/^(?:foreach|--recursive|--quiet|-q)$/.test(arg)).join(" "), scope);
      return;
    case "difftool":
    case "grep": {
      const options = readOptions(args, { letters: "x", optional: "O", names: ["extcmd"] });
      const code = optionValue(options, "x", "extcmd", "O", "open-files-in-pager");
      if (code !== undefined && (subcommand === "difftool" || !options.shorts.has("x"))) guard.maybeLine(code, scope);
      return;
    }
    default:
      return judgeTransport(args, scope, guard);
  }
}

function judgeConfig(args: readonly string[], scope: ShellScope, guard: Inspector): void {
  const options = readOptions(args, { letters: "f", names: ["file", "type", "default", "blob"] });
  const [act = ""] = options.operands;
  const operands = act === "set" || act === "unset" ? options.operands.slice(1) : options.operands;
  const isUnset = act === "unset" || options.longs.some((long) => /^unset/.test(long));
  const isHooks = /^core\.hookspath$/i.test(operands[0] ?? "");
  if (/^clean\.requireforce$/i.test(operands[0] ?? "") && /^(?:false|0|no|off)$/i.test(operands[1] ?? ""))
    guard.report("git-clean");
  if (operands.length > 1) judgeSetting(operands[0] ?? "", operands[1] ?? "", scope, guard);
  if (isHooks && (isUnset || isOutside(operands[1]))) guard.report("git-hooks-off");
}

/** Judges programs that a fetch, clone or push is told to start. */
function judgeTransport(args: readonly string[], scope: ShellScope, guard: Inspector): void {
  for (const [index, arg] of args.entries()) {
    const attached = /^--(?:upload-pack|receive-pack|exec)=(.*)$/s.exec(arg)?.[1];
    const code = /^--(?:upload-pack|receive-pack)$/.test(arg) ? args[index + 1] : attached;
    if (code !== undefined) guard.maybeLine(code, scope);
    if (arg.startsWith("ext::")) guard.maybeLine(arg.slice(5), scope);
  }
}
