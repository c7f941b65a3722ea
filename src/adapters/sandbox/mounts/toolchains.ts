import { statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { entriesIn } from "./hidden-paths.ts";
import type { SandboxMount } from "./mount.ts";
import { isWithin, realPath, wayTo } from "./real-path.ts";

/** Toolchains in a home folder that builds and tests need, read-only. */
const TOOLCHAINS = [
  ".nvm",
  ".fnm",
  ".local/share/fnm",
  ".n",
  ".volta",
  ".asdf",
  ".local/share/mise",
  ".bun/bin",
  ".deno/bin",
  ".goenv",
  ".pyenv",
  ".rbenv",
  ".rustup",
  ".cargo/bin",
  ".cargo/env",
  ".sdkman/candidates",
  ".jenv",
  ".nix-profile",
  ".local/state/nix",
  "miniconda3",
  "miniforge3",
  "mambaforge",
  "anaconda3",
  ".npm-global",
  ".cache/node/corepack",
  ".cache/ms-playwright",
  ".cache/Cypress",
  ".m2/wrapper",
  ".gradle/wrapper",
  ".local/bin",
  ".local/lib",
  ".local/share/uv",
];

/**
 * Package caches. Programs write to their cache if they can, so each cache is read-only or a private copy per sandbox: a file
 * that one agent puts into a cache never reaches another agent. Caches of compiled code, and of programs that fail on a read-only
 * cache (go-build, uv, yarn 1), are left out: they start empty in the private home.
 */
const CACHES = [
  ".bun/install",
  ".cargo/registry",
  ".cargo/git",
  "go",
  ".npm/_cacache",
  ".cache/pip",
  ".cache/pnpm",
  ".yarn/berry",
  ".m2/repository",
  ".gradle/caches",
  ".local/share/pnpm",
];

/**
 * Caches whose programs do without writing to them. The others fail as soon as they have fetched a package: npm with EROFS, which
 * says nothing about the cache. So where packages can be fetched, those start empty unless they are a private copy.
 */
const READ_ONLY_CACHES = new Set(["go", ".cache/pip"]);

/** Files beside a `bin` folder that belong to it: also a virtual environment's settings, and the targets of Homebrew's links. */
const BESIDE_BIN = ["lib", "lib64", "libexec", "include", "share", "pyvenv.cfg", "Cellar", "opt"];
const BIN = new Set(["bin", "sbin"]);

/** The mounts for the programs of a PATH, these tools, and the toolchains in these homes. Homes are real paths. */
export function toolMounts(options: {
  readonly homes: readonly string[];
  readonly path: string;
  readonly tools: readonly string[];
  /** True if a package cache can be written in a private copy. */
  readonly copied: boolean;
  /** True if the program can fetch packages. */
  readonly online?: boolean;
}): SandboxMount[] {
  const inHomes = (names: readonly string[]) => options.homes.flatMap((home) => names.map((name) => join(home, name)));
  const folders = [...new Set(options.path.split(":"))].filter((folder) => isAbsolute(folder));
  const tools = [...inHomes(TOOLCHAINS), ...options.tools, ...folders.flatMap((folder) => pathFolder(folder, options.homes))];
  const isEmpty = options.online === true && !options.copied;
  const caches = inHomes(isEmpty ? CACHES.filter((name) => READ_ONLY_CACHES.has(name)) : CACHES).flatMap(toolMount);
  // The PATH may name a folder within a cache: of two mounts at one place, the later one wins.
  return [...tools.flatMap(toolMount), ...(options.copied ? caches.map(copy) : caches)];
}

function copy(mount: SandboxMount): SandboxMount {
  return mount.kind === "bind" && isFolder(mount.from) ? { ...mount, copied: true } : mount;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The mounts for a program that was found on a PATH or named by its path. */
export function programMounts(program: string, homes: readonly string[]): SandboxMount[] {
  const real = realPath(program);
  return [program, ...(real === undefined ? [] : visibleParts(real, homes))].flatMap(toolMount);
}

function toolMount(path: string): SandboxMount[] {
  if (realPath(path) === undefined) return [];
  const { real, links } = wayTo(path);
  return [
    ...links.map(({ at, target }): SandboxMount => ({ at, kind: "link", target })),
    { at: real, kind: "bind", from: real, write: false, tool: true },
  ];
}

/** A folder of the PATH, the files beside it, and the targets of its links. */
function pathFolder(folder: string, homes: readonly string[]): string[] {
  const real = realPath(folder);
  if (real === undefined) return [];
  const led = [...new Set(linksIn(real).flatMap((link) => visibleParts(link, homes)))].filter((path) => !isWithin(real, path));
  return [folder, ...besideFolder(real, homes), ...led];
}

/**
 * The files that belong to a folder of programs. Below `/opt`, where each package has its own folder (hier(7)), that is the whole
 * package. Elsewhere (a home, `/srv`), only files with the usual names belong to it: other files there may be private.
 */
function besideFolder(real: string, homes: readonly string[]): string[] {
  const above = dirname(real);
  if (basename(real) === ".bin") return [above];
  const home = homes.find((each) => isWithin(each, real));
  if (home !== undefined) return above === home || real === home ? [] : inFolder(above);
  if (!BIN.has(basename(real)) || dirname(above) === "/") return [];
  return isPackage(above) ? [above] : inFolder(above);
}

function inFolder(folder: string): string[] {
  return BESIDE_BIN.map((name) => join(folder, name));
}

function isPackage(folder: string): boolean {
  return folder.startsWith("/opt/");
}

function linksIn(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isSymbolicLink())
    .flatMap(({ name }) => realPath(join(folder, name)) ?? []);
}

/** The paths that must be visible so that the target of a link runs: its package, or the program alone. */
function visibleParts(real: string, homes: readonly string[]): string[] {
  const home = homes.find((each) => isWithin(each, real));
  const names = real.split(sep);
  const modules = names.indexOf("node_modules");
  if (modules !== -1) return [names.slice(0, modules + 1).join(sep)];
  const folder = dirname(real);
  if (home === undefined) return isPackage(folder) || BIN.has(basename(folder)) ? besideProgram(folder, homes) : [real];
  const inHome = relative(home, real).split(sep);
  if (inHome[0] === ".local" && inHome[1] === "share" && inHome.length > 3) return [join(home, ...inHome.slice(0, 3))];
  return [real];
}

function besideProgram(folder: string, homes: readonly string[]): string[] {
  return [folder, ...besideFolder(folder, homes)];
}
