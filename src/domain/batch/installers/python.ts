import { basename, type Installer, type InstallerCall, pathWithin, readCommandLine } from "./command-line.ts";

/** Names of requirement files. `pip` is told of others by its command line alone. */
const REQUIREMENT_FILES = ["*requirements*.txt", "*requirements*.in", "*constraints*.txt"];
const INTERPRETERS = ["python3", "python"];

const NUMBER = /^\d+(?:\.\d+)?$/;
const PACKAGES = /^[\w.,:-]+$/;
const PATH = /^[^-]/;
const PIP_OPTIONS = {
  flags: new RegExp(
    `^(?:-q+|-v+|-U|--(?:${[
      ...["quiet", "verbose", "upgrade", "require-hashes", "no-deps", "no-input", "no-cache-dir", "no-compile", "no-color"],
      ...["disable-pip-version-check", "prefer-binary", "pre", "isolated", "break-system-packages", "no-warn-script-location"],
    ].join("|")}))$`,
  ),
  valued: {
    ...{ "-r": PATH, "--requirement": PATH, "-c": PATH, "--constraint": PATH, "-t": PATH, "--target": PATH },
    ...{ "-i": /^https?:\/\//, "--index-url": /^https?:\/\//, "--extra-index-url": /^https?:\/\// },
    ...{ "--retries": NUMBER, "--timeout": NUMBER, "--progress-bar": /^\w+$/ },
    ...{ "--only-binary": PACKAGES, "--no-binary": PACKAGES },
  },
};
const REQUIREMENT_OPTIONS = new Set(["-r", "--requirement", "-c", "--constraint"]);

/** A package of an index by name and versions, which is no archive in the checkout. */
const PACKAGE = /^[A-Za-z0-9][\w.-]*(?:\[[\w,.-]*\])?(?:[=<>!~]=?[\w.*+!,<>=~-]+)?$/;
/** Suffixes of what pip takes for an archive (https://github.com/pypa/pip, utils/filetypes.py). */
export const ARCHIVE = /\.(?:zip|whl|tar|tgz|tbz|txz|tlz|tar\.(?:gz|bz2|xz|lz|lzma))$/i;

function pipCall(args: readonly string[]): InstallerCall | undefined {
  const line = readCommandLine(args, PIP_OPTIONS);
  const [verb, ...packages] = line?.words ?? [];
  if (line === undefined || verb !== "install" || !packages.every((word) => PACKAGE.test(word) && !ARCHIVE.test(word)))
    return undefined;
  const named = (isWanted: (option: string) => boolean) =>
    line.values.flatMap(([option, value]) => (isWanted(option) ? [pathWithin(value)] : []));
  const requirementFiles = named((option) => REQUIREMENT_OPTIONS.has(option));
  const outputFolders = named((option) => option === "-t" || option === "--target");
  if (packages.length + requirementFiles.length === 0 || !areWithin(requirementFiles) || !areWithin(outputFolders))
    return undefined;
  return { requirementFiles, outputFolders, isLocked: args.includes("--require-hashes") };
}

function areWithin(paths: readonly (string | undefined)[]): paths is readonly string[] {
  return paths.every((path) => path !== undefined);
}

export const PIP: Installer = {
  names: [...REQUIREMENT_FILES, "pip.conf"],
  folders: ["requirements"],
  programs: INTERPRETERS,
  parse: pipCall,
  lockfiles: [],
};

/** True for files that are read as lists of packages whether or not a command names them. */
export function isRequirements(path: string): boolean {
  return /requirements|constraints/.test(path) && /\.(?:txt|in)$/.test(basename(path));
}

const VENV_OPTIONS = { flags: /^--(?:clear|copies|symlinks|upgrade-deps|without-pip|system-site-packages)$/ };

function venvCall(args: readonly string[]): InstallerCall | undefined {
  const line = readCommandLine(args, VENV_OPTIONS);
  const folder = pathWithin(line?.words[0] ?? "/");
  if (line?.words.length !== 1 || folder === undefined) return undefined;
  return { outputFolders: [folder], isLocked: !args.includes("--upgrade-deps") };
}

/** `python3 -m venv` and `python3 -m pip`. Without -I or -P, modules of the checkout come before Python's own. */
export const PYTHON: Installer = {
  ...PIP,
  parse(args) {
    const options = args.findIndex((word) => !/^-(?:I|P|E|s|B|u)$/.test(word));
    const [flag, name, ...rest] = args.slice(options);
    if (flag !== "-m") return undefined;
    const call = name === "pip" ? pipCall(rest) : name === "venv" ? venvCall(rest) : undefined;
    const isIsolated = args.slice(0, options).some((word) => word === "-I" || word === "-P");
    return call === undefined ? undefined : { ...call, loadsModules: !isIsolated };
  },
};

export const UV: Installer = {
  names: ["uv.lock", "uv.toml", "pyproject.toml"],
  programs: INTERPRETERS,
  parse(args) {
    const name = { "--group": /^[\w-]+$/, "--extra": /^[\w-]+$/, "--no-group": /^[\w-]+$/ };
    const flags = /^(?:-q|--(?:frozen|no-install-workspace|no-dev|all-extras|all-groups|quiet|no-progress|no-cache|offline))$/;
    const line = readCommandLine(args, { flags, valued: name });
    const isWhole = ["--frozen", "--no-install-workspace"].every((word) => args.includes(word));
    return isWhole && line?.words.join() === "sync" ? {} : undefined;
  },
  lockfiles: ["uv.lock"],
};

export const POETRY: Installer = {
  names: ["poetry.lock", "poetry.toml", "pyproject.toml"],
  programs: INTERPRETERS,
  parse(args) {
    const groups = /^[\w,-]+$/;
    const flags = /^(?:-n|-q|--(?:no-root|no-interaction|sync|quiet|no-ansi|no-cache|all-extras))$/;
    const valued = { "--only": groups, "--with": groups, "--without": groups, "--extras": groups, "-E": groups };
    const line = readCommandLine(args, { flags, valued });
    return args.includes("--no-root") && line?.words.join() === "install" ? {} : undefined;
  },
  lockfiles: ["poetry.lock"],
};
