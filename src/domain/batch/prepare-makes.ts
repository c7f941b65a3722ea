import { basename, isAbsolute, join, normalize } from "node:path/posix";
import picomatch from "picomatch";
import { commandWords } from "./command-words.ts";
import type { Argv } from "./prepare-command.ts";

/** The texts of the files at the top of a repository that are known. */
type TopFiles = ReadonlyMap<string, string>;

const INSTALLERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);
const INSTALLS: ReadonlySet<string> = new Set(["install", "i", "ci", "clean-install", "add"]);
/** Options by which a package manager installs into another folder. */
const ELSEWHERE = /^(?:-g|--global|--prefix|--cwd|--dir|-C)(?:=|$)/;
const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh"]);

/**
 * The entries at the top of a checkout that prepare commands are known to make and that the `.gitignore` there does not ignore: git
 * would take them for a part of each change. Knows package managers of Node, virtual environments, Composer and Bundler, also in `sh -c "…"`.
 */
export function notIgnoredBy(commands: readonly Argv[], files: TopFiles): readonly string[] {
  const rules = files.get(".gitignore") ?? "";
  return madeBy(commands, files).filter((name) => !isIgnored(rules, name));
}

/** The entries at the top of a checkout that prepare commands are known to make. */
export function madeBy(commands: readonly Argv[], files: TopFiles): readonly string[] {
  return [...new Set(commands.flatMap(simpleCommands).flatMap((command) => makes(command, files)))];
}

/** A test command that starts Python, by the Python of the environment that prepare commands make in the checkout, if they make one. */
export function inEnvironment(command: Argv, prepare: readonly Argv[]): Argv {
  const [program, ...words] = command;
  const made = prepare.flatMap(simpleCommands).map(([name = "", ...rest]) => virtualEnvironmentFolder(basename(name), rest));
  const folder = made.find((path) => path !== undefined && !isAbsolute(path));
  return program !== "python3" || folder === undefined ? command : [join(folder, "bin/python"), ...words];
}

/** The commands that a shell's text has; any other command is itself. */
function simpleCommands(command: Argv): readonly (readonly string[])[] {
  const [program = "", ...rest] = command;
  const at = rest.findIndex((word) => /^-\w*c$/.test(word));
  const text = rest[at + 1];
  if (!SHELLS.has(basename(program)) || at < 0 || text === undefined) return [command];
  return text.split(/&&|\|\||[;|\n]/).flatMap((part) => {
    const words = commandWords(part.trim().replace(/^(?:\w+=[^\s"']*\s+)+/, ""));
    return "value" in words ? [words.value] : [];
  });
}

function makes(command: readonly string[], files: TopFiles): readonly string[] {
  const [program = "", ...words] = command;
  const name = basename(program);
  if (INSTALLERS.has(name)) return installedFolders(name, words, files);
  if (name === "composer") return words.includes("install") ? ["vendor"] : [];
  if (name === "bundle") return words[0] === "config" && words.includes("--local") ? [".bundle"] : [];
  const folder = virtualEnvironmentFolder(name, words);
  if (folder === undefined || isAbsolute(folder) || !name.startsWith("python")) return [];
  const path = normalize(folder).replace(/\/$/, "");
  return path.includes("/") || path === "." || path === ".." ? [] : [path];
}

function installedFolders(name: string, words: readonly string[], files: TopFiles): readonly string[] {
  const verb = words.find((word) => !word.startsWith("-"));
  const isInstall = verb === undefined ? name === "yarn" : INSTALLS.has(verb);
  if (!isInstall || words.some((word) => ELSEWHERE.test(word))) return [];
  const hasLock = files.has("package-lock.json") || files.has("npm-shrinkwrap.json") || words.includes("--no-package-lock");
  // Without a lockfile, npm writes one.
  return name === "npm" && !hasLock && verb !== "ci" && verb !== "clean-install"
    ? ["node_modules", "package-lock.json"]
    : ["node_modules"];
}

/** The folder of a virtual environment that a command makes. uv and virtualenv write a `.gitignore` into theirs; venv does so since Python 3.13 only. */
function virtualEnvironmentFolder(name: string, words: readonly string[]): string | undefined {
  if (name === "virtualenv") return words.find((word) => !word.startsWith("-"));
  if (name === "uv") return words[0] === "sync" ? ".venv" : undefined;
  if (!/^python[\d.]*$/.test(name)) return undefined;
  const at = words.findIndex((word, i) => word === "venv" && words[i - 1] === "-m");
  return at < 0 ? undefined : words.slice(at + 1).find((word) => !word.startsWith("-"));
}

/** Tells whether the rules of a `.gitignore` (gitignore(5)) ignore a name at the top, or all that is in it. The last rule that matches decides. */
function isIgnored(rules: string, name: string): boolean {
  let ignored = false;
  for (const line of rules.split("\n")) {
    const rule = line.replace(/\r$/, "").replace(/(?<=^|[^\\\s]|\\\s)\s+$/, "");
    if (rule === "" || rule.startsWith("#")) continue;
    const isNegated = rule.startsWith("!");
    const glob = rule.slice(isNegated ? 1 : 0).replace(/^(?:\*\*\/|\/)/, "");
    const entry = glob.replace(/(?<=.)\/\*{0,2}$/, "");
    if (entry.includes("/") || !picomatch.isMatch(name, entry, { dot: true, nobrace: true, noextglob: true, nonegate: true }))
      continue;
    ignored = !isNegated;
  }
  return ignored;
}
