import type { RuleId } from "./rule-table.ts";
import { type ContainerMount, isGlob, isUnknown, MARK, type ShellScope, unknownAt } from "./shell/scope.ts";

/** Folders of a machine. All paths are absolute and without a slash at the end. */
export interface Places {
  /** The folder in which files may be deleted. Undefined if that would be a home folder or `/`. */
  readonly worktree: string | undefined;
  readonly home: string;
  /** Folders for temporary files. */
  readonly temp: readonly string[];
  /** Files that nobody may write: see GuardContext. */
  readonly kept?: readonly string[];
}

/** The usual folders for temporary files, with macOS's. */
export const TEMP_FOLDERS = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/dev/shm"] as const;

/**
 * Where a path lies: `root` is `/`, a home folder, the worktree or a folder above it; `repository` is the data of git; `unknown`
 * can be anything.
 */
export type DeletionZone = "root" | "repository" | "outside" | "inside" | "temp" | "unknown";

/** An absolute path without `.`, `..` and doubled slashes. */
export function normalPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

/**
 * The absolute path of a word, behind the links and moves that the line itself makes. Undefined if it depends on something unknown.
 * Unknown parts after a known folder stay in it.
 */
export function absolutePath(word: string, scope: ShellScope): string | undefined {
  const path = pathAsWritten(word, scope);
  return path === undefined || scope.origins.size === 0 ? path : behindOrigins(path, word.endsWith("/"), scope);
}

/** Links that lead to links; a chain that is longer is a circle. */
const MOST_LINKS = 8;

function behindOrigins(path: string, follows: boolean, { origins }: ShellScope): string {
  let found = path;
  for (let count = 0; count < MOST_LINKS; count++) {
    const before = found;
    for (const [made, origin] of origins) {
      if (found === made ? follows || !origin.isLink : found.startsWith(`${made}/`))
        found = normalPath(`${origin.path}${found.slice(made.length)}`);
    }
    if (found === before) break;
  }
  return found;
}

/** The absolute path of a word, whatever the line makes. */
export function pathAsWritten(word: string, scope: ShellScope): string | undefined {
  const unknown = unknownAt(word);
  if (unknown === 0 || word === "") return undefined;
  if (unknown > 0 && /(?:^|\/)\.\.(?:\/|$)/.test(word.slice(unknown))) return undefined;
  if (word.startsWith("/")) return normalPath(word);
  return scope.cwd === undefined || isUnknown(scope.cwd) ? undefined : normalPath(`${scope.cwd}/${word}`);
}

/** True if `path` is `folder` or in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

const ALL_FILES = /^[.\uE001\uE002]*[\uE001\uE002][.\uE001\uE002]*$/;

/** Where a deletion of the word would happen. */
export function deletionZone(word: string, scope: ShellScope, places: Places): DeletionZone {
  const path = absolutePath(word, scope);
  if (path === undefined) return scope.mounts?.length === 0 ? "temp" : "unknown";
  const segments = path.split("/");
  while (segments.length > 1 && ALL_FILES.test(segments.at(-1) ?? "")) segments.pop();
  if (unknownAt(segments.at(-1) ?? "") === 0) return folderOfUnknown(segments, scope, places);
  const target = segments.join("/") || "/";
  if (scope.mounts !== undefined) return zoneInContainer(target, scope.mounts, places);
  const isTemp = isTempPath(target, places, target.length < path.length);
  return scope.isElsewhere ? zoneElsewhere(target, isTemp, places) : zoneHere(target, isTemp, places);
}

function zoneHere(path: string, isTemp: boolean, places: Places): DeletionZone {
  const isInside = isInWorktree(path, places);
  if (isTemp && !isInside && !holdsWork(path, places)) return "temp";
  if (isRoot(path, places)) return "root";
  if (isRepository(path, places)) return "repository";
  if (isInside) return "inside";
  return isGlob(path) && holdsGlob(path, places) ? "root" : "outside";
}

function zoneElsewhere(path: string, isTemp: boolean, places: Places): DeletionZone {
  if (isTemp) return "temp";
  return isRoot(path, places) ? "root" : "outside";
}

const WORST_FIRST: readonly DeletionZone[] = ["root", "repository", "outside", "unknown", "inside", "temp"];

/** A container that is made for a command has nothing to lose but what is mounted at, above or below the path. */
function zoneInContainer(path: string, mounts: readonly ContainerMount[], places: Places): DeletionZone {
  const zones = mounts
    .filter(({ target }) => isWithin(path, target) || isWithin(target, path))
    .map(({ source, target }): DeletionZone => {
      if (source === undefined) return "outside";
      const host = isWithin(path, target) ? normalPath(`${source}/${path.slice(target.length)}`) : source;
      return zoneHere(host, isTempPath(host, places, false), places);
    });
  return WORST_FIRST.find((zone) => zones.includes(zone)) ?? "temp";
}

/** The path on this machine of a path in a container; undefined if nothing of the machine is there. */
export function pathOnHost(path: string, { mounts }: ShellScope): string | undefined {
  if (mounts === undefined) return path;
  const mount = mounts.find(({ target }) => isWithin(path, target));
  return mount?.source === undefined ? undefined : normalPath(`${mount.source}/${path.slice(mount.target.length)}`);
}

function isInWorktree(path: string, { worktree }: Places): boolean {
  return worktree !== undefined && isWithin(path, worktree);
}

/** A path that ends with something unknown: an empty value means its folder. */
function folderOfUnknown(segments: readonly string[], scope: ShellScope, places: Places): DeletionZone {
  const folder = segments.slice(0, -1).join("/") || "/";
  const zone = deletionZone(folder, scope, places);
  return zone === "inside" || zone === "temp" ? zone : "unknown";
}

function isRoot(path: string, places: Places): boolean {
  return (
    holdsWork(path, places) ||
    /^\/(?:home|Users|root)(?:\/[^/]+)?$/.test(path) ||
    /^\/(?:bin|boot|dev|etc|lib\w*|opt|private|proc|sbin|srv|sys|usr|var|System|Library|Applications)$/.test(path) ||
    places.temp.includes(path)
  );
}

/** True if the worktree or the home folder is in the folder. */
function holdsWork(path: string, { worktree, home }: Places): boolean {
  return (worktree !== undefined && isWithin(worktree, path)) || isWithin(home, path);
}

/** True if a pattern may match the worktree, the home folder or one above. */
function holdsGlob(path: string, { worktree, home }: Places): boolean {
  const segments = path.split("/");
  return [worktree, home].some((folder) => {
    const own = folder?.split("/") ?? [];
    return segments.length <= own.length && segments.every((segment, index) => segment === own[index] || isGlob(segment));
  });
}

function isRepository(path: string, { worktree }: Places): boolean {
  return worktree !== undefined && isWithin(path, `${worktree}/.git`) && !path.endsWith(".lock");
}

/** True for paths in a folder for temporary files, and for everything in such a folder, but not for the folder. */
function isTempPath(path: string, { temp }: Places, hasAll: boolean): boolean {
  return temp.some((folder) => isWithin(path, folder) && (path !== folder || hasAll));
}

/** The text of a glob as a pattern for one name. */
export function matchesGlob(pattern: string, name: string): boolean {
  const source = [...pattern]
    .map((char) => (char === MARK.star ? ".*" : char === MARK.any ? "." : char.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&")))
    .join("");
  return new RegExp(`^${source}$`).test(name);
}

/** True for disks and partitions; what else is in /dev holds no data. */
export function isDevice(path: string): boolean {
  return /^\/dev\/(?:[shv]d[a-z]|xvd|nvme|mmcblk|disk|rdisk|mapper\/|dm-|md\d|loop\d|sr\d|mem$|kmem$)/.test(path);
}

/** One program that a command line would start. Words may have marks (shell/marks.ts). */
export interface Call {
  /** Name of the program: without folder and version, in small letters. */
  readonly name: string;
  readonly args: readonly string[];
  /** Text on stdin; undefined if nothing is piped in. The content of a file is a mark. */
  readonly stdin: string | undefined;
  readonly scope: ShellScope;
  /** The program that the output is piped into and its arguments, if the pipe is known. */
  readonly reader?: readonly string[];
  /** The words of the programs before it in its pipe. */
  readonly before?: readonly string[];
}

/** The guard, as its rules see it. */
export interface Inspector {
  /** Records that a rule forbids the command. */
  report(rule: RuleId): void;
  /** Judges shell code in a scope of its own. Returns its output. */
  line(text: string, scope: ShellScope, stdin?: string): string;
  /** The same for text that may be something else than shell code: parse errors do not count. */
  maybeLine(text: string, scope: ShellScope): void;
  /** Judges a program and its arguments. Returns its output. */
  words(words: readonly string[], call: Omit<Call, "name" | "args">): string;
  /** The content of a file that the line itself makes: by a redirection or a process substitution. */
  content(path: string, scope: ShellScope): string | undefined;
  /** Keeps what a program writes to a file. */
  keep(path: string, content: string, scope: ShellScope): void;
  /** True if the line looks for loopdash's own processes. */
  readonly findsLoopdash: boolean;
  /** True if the function would report something. Reports nothing. */
  isForbidden(judge: () => void): boolean;
}
