import picomatch from "picomatch";
import {
  basename,
  type InputFile,
  type InputTexts,
  type Installer,
  type InstallerCall,
  isAtOrBelow,
} from "./installers/command-line.ts";
import { GO } from "./installers/go.ts";
import { BUN, NPM, PNPM, YARN } from "./installers/node.ts";
import { COMPOSER } from "./installers/php.ts";
import { isRequirements, PIP, POETRY, PYTHON, UV } from "./installers/python.ts";
import { shadowingModule } from "./installers/python-modules.ts";
import { BUNDLE } from "./installers/ruby.ts";
import { CARGO } from "./installers/rust.ts";
import { manifestTrouble } from "./manifest-trouble.ts";
import type { Argv } from "./prepare-command.ts";

/** The files of a commit that the result of prepare commands depends on. */
export type PrepareInputs =
  | {
      readonly reach: "files";
      readonly paths: readonly string[];
      /** True if no lockfile says which versions are installed: another day's result may be another one. */
      readonly isUnlocked?: true;
      /** True if only what was installed says which packages have install scripts; see `installedTrouble`. */
      readonly hasUnknownScripts?: true;
    }
  /** Any file may matter. `why` is one line for people. */
  | { readonly reach: "tree"; readonly why: string };

/** Files that choose versions of tools. They are inputs of every command. */
const TOOL_FILES = [
  ".gitattributes",
  ".tool-versions",
  ".nvmrc",
  ".node-version",
  ".python-version",
  ".python-versions",
  ".ruby-version",
  ".php-version",
  "rust-toolchain",
  "rust-toolchain.toml",
  // `mise.local.toml` and `mise.ci.toml` come before `mise.toml` (https://mise.jdx.dev/configuration.html).
  "{.mise,mise}{,.*}.toml",
  "mise{,.*}.lock",
  "go.mod",
];
/** The same in folders of tools. */
const TOOL_PATHS = ["config.toml", "config.*.toml", "conf.d/*.toml"].map((name) => `**/{.mise,mise}/${name}`);

const INSTALLERS: Readonly<Record<string, Installer>> = {
  ...{ npm: NPM, pnpm: PNPM, yarn: YARN, bun: BUN },
  ...{ pip: PIP, pip3: PIP, python: PYTHON, python3: PYTHON, uv: UV, poetry: POETRY },
  ...{ cargo: CARGO, go: GO, bundle: BUNDLE, composer: COMPOSER },
};

/** Programs that prepare commands start: those that they name, and what these need. */
export function listPreparePrograms(commands: readonly Argv[]): readonly string[] {
  const named = commands.flatMap(([program = ""]) => [program, ...(findInstaller(program)?.programs ?? [])]);
  return [...new Set(named)].toSorted();
}

/**
 * The files of a commit that the result of its prepare commands depends on. A command that is none of the known installers, or a
 * manifest that makes an installer run or read something else, may read everything: then the whole tree counts. `inputs` are the
 * batch's own glob patterns: beside them, only the manifests of known installers and the files that choose tools count.
 *
 * `files` are the commit's paths with the kind of each; `text` gives the text of one of `filterManifests`, if it could be read.
 */
export function prepareInputs(options: {
  readonly commands: readonly Argv[];
  readonly inputs?: readonly string[] | undefined;
  readonly files: readonly InputFile[];
  readonly text: (path: string) => string | undefined;
}): PrepareInputs {
  const { commands, files, inputs, text } = options;
  const detected = filterManifests(commands, files);
  const isOwn = picomatch([...(inputs ?? [])], { dot: true });
  const own = inputs === undefined ? [] : files.filter(({ path }) => isOwn(path));
  const all = [...new Set([...detected, ...own])];
  const links = all.find(({ kind }) => kind !== "file");
  if (links !== undefined) return { reach: "tree", why: `${links.path} is a link` };
  const paths = all.map(({ path }) => path).toSorted();
  if (inputs !== undefined) return { reach: "files", paths };
  const why = commandTrouble(commands, files, paths) ?? inputTrouble(commands, files, { paths, text });
  return why === undefined ? { reach: "files", paths, ...unlocked(commands, files, paths) } : { reach: "tree", why };
}

/** Tells if the result may differ another day, and if install scripts are unknown, because an installer has no lockfile. */
function unlocked(commands: readonly Argv[], files: readonly InputFile[], paths: readonly string[]) {
  const isOpen = ({ call, installer: { lockfiles } }: Known) =>
    lockfiles !== undefined && call.isLocked !== true && !paths.some((path) => lockfiles.includes(basename(path)));
  const open = commands.flatMap((command) => knownCall(command, files) ?? []).filter(isOpen);
  return {
    isUnlocked: open.length === 0 ? undefined : (true as const),
    ...(open.some(({ call, installer }) => installer.listsScripts === true && call.runsNoScripts !== true)
      ? { hasUnknownScripts: true as const }
      : {}),
  };
}

/** The reason why one of these commands may read any file; undefined if none may. */
function commandTrouble(commands: readonly Argv[], files: readonly InputFile[], paths: readonly string[]): string | undefined {
  for (const command of commands) {
    const quoted = `"${shortened(command.join(" "))}"`;
    const known = knownCall(command, files);
    if (known === undefined) return `${quoted} may read any file`;
    const { requirementFiles = [], loadsModules = false, outputFolders = [] } = known.call;
    const inTheWay = files.find(({ path }) =>
      outputFolders.some((folder) => isAtOrBelow(path, folder) || isAtOrBelow(folder, path)),
    );
    if (inTheWay !== undefined) return `${quoted} finds ${inTheWay.path} where it writes`;
    const missing = requirementFiles.find((path) => !paths.includes(path));
    if (missing !== undefined) return `${quoted} reads ${missing}, which the commit does not have`;
    const shadow = loadsModules ? shadowingModule(files) : undefined;
    if (shadow !== undefined) return `${quoted} may load ${shadow}`;
  }
  return undefined;
}

/** A command with its beginning and its end, so that its reason fits into a line of the feed. */
function shortened(command: string): string {
  return command.length <= 33 ? command : `${command.slice(0, 20).trimEnd()} … ${command.slice(-10).trimStart()}`;
}

/** The reason why an installer may run or read anything else because of these inputs; undefined if it does not. */
function inputTrouble(commands: readonly Argv[], files: readonly InputFile[], inputs: InputTexts): string | undefined {
  const known = commands.flatMap((command) => knownCall(command, files) ?? []);
  const named = new Set(known.flatMap(({ call }) => call.requirementFiles ?? []));
  const requirementFiles = new Set(inputs.paths.filter((path) => named.has(path) || isRequirements(path)));
  const runsScripts = !known.every(({ call }) => call.runsNoScripts === true);
  for (const path of inputs.paths) {
    const trouble = manifestTrouble(path, inputs.text(path), { runsScripts, requirementFiles });
    if (trouble !== undefined) return `${path} ${trouble}`;
  }
  for (const { call, installer } of known) {
    const trouble = installer.trouble?.(inputs, call);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

/** The manifests among these files, whose texts `prepareInputs` reads. */
export function filterManifests<F extends InputFile>(commands: readonly Argv[], files: readonly F[]): readonly F[] {
  const known = commands.flatMap((command) => knownCall(command, files) ?? []);
  const isNamed = picomatch([...TOOL_FILES, ...known.flatMap(({ installer }) => installer.names)], { dot: true });
  const isToolPath = picomatch(TOOL_PATHS, { dot: true });
  const folders = new Set(known.flatMap(({ installer }) => installer.folders ?? []));
  const requirementFiles = new Set(known.flatMap(({ call }) => call.requirementFiles ?? []));
  return files.filter(
    ({ path }) =>
      isNamed(basename(path)) ||
      isToolPath(path) ||
      requirementFiles.has(path) ||
      path.split("/").some((part) => folders.has(part)),
  );
}

interface Known {
  readonly installer: Installer;
  readonly call: InstallerCall;
}

/** The installer that a command starts, if it reads nothing but its own files. */
function knownCall([program = "", ...args]: Argv, files: readonly InputFile[]): Known | undefined {
  // A program of the repository reads what it likes, whatever its name. So does one behind a link of the repository.
  const isOwn = program.includes("/") && files.some(({ path }) => isAtOrBelow(program.replace(/^\.\//, ""), path));
  const installer = isOwn ? undefined : findInstaller(program);
  const call = installer?.parse(args);
  return installer === undefined || call === undefined ? undefined : { installer, call };
}

/** `python3.12` and `pip3.12` are as `python3` and `pip3`. */
function findInstaller(program: string): Installer | undefined {
  const name = basename(program).replace(/^(python3|pip3)\.\d+$/, "$1");
  return Object.hasOwn(INSTALLERS, name) ? INSTALLERS[name] : undefined;
}
