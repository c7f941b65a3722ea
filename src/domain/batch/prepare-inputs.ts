import picomatch from "picomatch";
import type { Argv } from "./argv.ts";
import { manifestTrouble } from "./manifest-trouble.ts";

/** The files of a commit that the result of prepare commands depends on. */
export type PrepareInputs =
  | { readonly reach: "files"; readonly paths: readonly string[] }
  /** Any file may matter. `why` is one line for people. */
  | { readonly reach: "tree"; readonly why: string };

/** The files that a package manager reads, and when it reads no others. */
interface Ecosystem {
  /** Basenames, as glob patterns. They are inputs wherever they lie: workspaces have them in their folders. */
  readonly names: readonly string[];
  /** Paths below folders of these names are inputs too. */
  readonly folders?: readonly string[];
  /** True if this command line installs from those files and runs nothing else. */
  readonly installs: (args: readonly string[]) => boolean;
  /** Further programs that take part. */
  readonly with: readonly string[];
}

/** Files that choose versions of tools. They are inputs of every command. */
const TOOL_FILES = [
  ".gitattributes",
  ".tool-versions",
  ".nvmrc",
  ".node-version",
  ".python-version",
  ".ruby-version",
  ".php-version",
  "rust-toolchain",
  "rust-toolchain.toml",
  "mise.toml",
  ".mise.toml",
  "go.mod",
];

const NODE_NAMES = ["package.json", ".npmrc", "npm-shrinkwrap.json", "package-lock.json", "binding.gyp"];

const NO_SCRIPTS = "--ignore-scripts";

const NODE: Ecosystem = {
  names: [
    ...NODE_NAMES,
    ...["pnpm-lock.yaml", "pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs"],
    ...["yarn.lock", ".yarnrc", ".yarnrc.yml", "bun.lock", "bun.lockb", "bunfig.toml"],
  ],
  folders: [".yarn", "patches"],
  installs: ([verb, ...rest]) =>
    ["ci", "i", "install", "clean-install"].includes(verb ?? "") && rest.every((word) => HARMLESS_NODE.test(word)),
  with: ["node"],
};

/** Options that name no further file. Others may. */
const HARMLESS_NODE =
  /^--(?:ignore-scripts|no-audit|no-fund|no-progress|offline|prefer-offline|prefer-frozen-lockfile|frozen-lockfile|immutable|legacy-peer-deps|silent|quiet|production|workspaces|include-workspace-root|non-interactive|(?:audit|fund|progress)=false|(?:omit|include|loglevel)=[a-z]+)$/;

const PIP: Ecosystem = {
  names: ["*requirements*.txt", "*requirements*.in", "*constraints*.txt", "pip.conf"],
  folders: ["requirements"],
  installs: ([verb, ...rest]) => verb === "install" && onlyRequirements(rest),
  with: ["python3", "python"],
};

const ECOSYSTEMS: Readonly<Record<string, Ecosystem>> = {
  npm: NODE,
  // Their lockfiles do not say which packages have install scripts, which may read any file.
  pnpm: { ...NODE, installs: (args) => args.includes(NO_SCRIPTS) && NODE.installs(args) },
  yarn: { ...NODE, installs: (args) => args.includes(NO_SCRIPTS) && NODE.installs(args) },
  bun: { ...NODE, installs: (args) => args.includes(NO_SCRIPTS) && NODE.installs(args) },
  pip: PIP,
  pip3: PIP,
  uv: {
    names: ["uv.lock", "uv.toml", "pyproject.toml"],
    installs: (args) =>
      args[0] === "sync" && ["--frozen", "--no-install-workspace"].every((word) => args.includes(word)) && args.length === 3,
    with: ["python3", "python"],
  },
  poetry: {
    names: ["poetry.lock", "poetry.toml", "pyproject.toml"],
    installs: (args) => args[0] === "install" && args.includes("--no-root") && args.slice(1).every(isPoetryFlag),
    with: ["python3", "python"],
  },
  bundle: {
    names: ["Gemfile", "Gemfile.lock", "*.gemspec"],
    folders: [".bundle"],
    installs: (args) => args.length === 1 && args[0] === "install",
    with: ["ruby"],
  },
  composer: {
    names: ["composer.json", "composer.lock", "auth.json"],
    installs: (args) => args[0] === "install" && args.includes("--no-scripts") && args.includes("--no-plugins"),
    with: ["php"],
  },
};

const isPoetryFlag = (word: string): boolean => ["--no-root", "--no-interaction", "-n", "--sync", "--quiet", "-q"].includes(word);

/** True if packages come from requirement files only, which are inputs by their names. */
function onlyRequirements(args: readonly string[]): boolean {
  const isRequirements = picomatch([...PIP.names]);
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (word === "-q" || word === "--quiet" || word === "--require-hashes" || word === "--no-deps") continue;
    if (word !== "-r" && word !== "--requirement") return false;
    at += 1;
    if (!isRequirements(basename(args[at] ?? ""))) return false;
  }
  return args.length > 0;
}

/** Programs that prepare commands start: those that they name, and what these need. */
export function programsOf(commands: readonly Argv[]): readonly string[] {
  const named = commands.flatMap(([program = ""]) => [program, ...(ECOSYSTEMS[basename(program)]?.with ?? [])]);
  return [...new Set(named)].toSorted();
}

/**
 * The files of a commit that the result of its prepare commands depends on. A command that is none of the known installers, or a
 * manifest that makes an installer run or read something else, may read everything: then the whole tree counts. `inputs` are the
 * batch's own glob patterns: beside them, only the manifests of known installers and the files that choose tools count.
 *
 * `files` are the commit's paths with the kind of each; `text` gives the text of one of `manifestsOf`, if it could be read.
 */
export function prepareInputs(options: {
  readonly commands: readonly Argv[];
  readonly inputs?: readonly string[] | undefined;
  readonly files: readonly InputFile[];
  readonly text: (path: string) => string | undefined;
}): PrepareInputs {
  const { commands, files, inputs, text } = options;
  const unknown = commands.find((command) => ecosystemOf(command, files) === undefined);
  const detected = manifestsOf(commands, files);
  const isOwn = picomatch([...(inputs ?? [])], { dot: true });
  const own = inputs === undefined ? [] : files.filter(({ path }) => isOwn(path));
  const all = [...new Set([...detected, ...own])];
  const links = all.find(({ kind }) => kind !== "file");
  if (links !== undefined) return { reach: "tree", why: `${links.path} is a link` };
  const paths = all.map(({ path }) => path).toSorted();
  if (inputs !== undefined) return { reach: "files", paths };
  if (unknown !== undefined) return { reach: "tree", why: `"${unknown.join(" ")}" may read any file` };
  if (usesNpm(commands) && !paths.some((path) => LOCKFILE.test(path))) return { reach: "tree", why: "there is no lockfile" };
  const runsScripts = !commands.every((command) => command.includes(NO_SCRIPTS));
  for (const path of paths) {
    const trouble = manifestTrouble(path, text(path), { runsScripts });
    if (trouble !== undefined) return { reach: "tree", why: `${path} ${trouble}` };
  }
  return { reach: "files", paths };
}

/** A file of a commit. `link` stands for symbolic links and submodules. */
export interface InputFile {
  readonly path: string;
  readonly kind: "file" | "link";
}

/** The manifests among these files, whose texts `prepareInputs` reads. */
export function manifestsOf<F extends InputFile>(commands: readonly Argv[], files: readonly F[]): readonly F[] {
  const known = commands.flatMap((command) => ecosystemOf(command, files) ?? []);
  const isNamed = picomatch([...TOOL_FILES, ...known.flatMap(({ names }) => names)], { dot: true });
  const folders = new Set(known.flatMap((each) => each.folders ?? []));
  return files.filter(({ path }) => isNamed(basename(path)) || path.split("/").some((part) => folders.has(part)));
}

const LOCKFILE = /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json)$/;

function usesNpm(commands: readonly Argv[]): boolean {
  return commands.some(([program = ""]) => basename(program) === "npm");
}

function ecosystemOf([program = "", ...args]: Argv, files: readonly InputFile[]): Ecosystem | undefined {
  // A program of the repository reads what it likes, whatever its name. So does one behind a link of the repository.
  const isOwn = program.includes("/") && files.some(({ path }) => isAtOrBelow(program.replace(/^\.\//, ""), path));
  const found = isOwn || !Object.hasOwn(ECOSYSTEMS, basename(program)) ? undefined : ECOSYSTEMS[basename(program)];
  return found?.installs(args) === true ? found : undefined;
}

function isAtOrBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
