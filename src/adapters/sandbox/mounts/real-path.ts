import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, sep } from "node:path";
import { ConfinementRefused } from "../../../ports/executor.ts";

/** A symbolic link on the way to a path: its own real path and its target. */
export interface Link {
  readonly at: string;
  readonly target: string;
}

/** A path with every link followed, and the links that were followed. */
export interface Way {
  readonly real: string;
  readonly links: readonly Link[];
}

/** path_resolution(7): the kernel gives up after 40. */
const MOST_LINKS = 40;

/** True if `path` is `folder` or lies below it. Both are real paths. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || folder === "/" || path.startsWith(folder + sep);
}

/** Follows a path. Throws ConfinementRefused if it is not a normal absolute path or does not exist. */
export function wayTo(path: string): Way {
  if (!isAbsolute(path) || normalize(path) !== path || path.includes("\0") || (path !== "/" && path.endsWith(sep))) {
    throw new ConfinementRefused(`${JSON.stringify(path)} is not an absolute path in its simplest form`);
  }
  const real = tryReal(path);
  if (real.path === undefined) throw new ConfinementRefused(`${path} cannot be reached: ${real.problem}`);
  return real.path === path ? { real: path, links: [] } : { real: real.path, links: linksOnPath(path) };
}

/** Follows a path that need not exist: its existing part is followed. */
export function wayToPlace(path: string): Way {
  if (tryReal(path).path !== undefined || path === "/" || !isAbsolute(path)) return wayTo(path);
  const { real, links } = wayToPlace(dirname(path));
  return { real: join(real, path.slice(path.lastIndexOf(sep))), links };
}

/** The real path, or undefined if it does not exist or may not be read. */
export function realPath(path: string): string | undefined {
  return tryReal(path).path;
}

function tryReal(path: string): { readonly path?: string; readonly problem?: string } {
  try {
    return { path: realpathSync.native(path) };
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return { problem: error.code === "ENOENT" ? "there is no such file or folder" : error.message };
  }
}

function linksOnPath(path: string): Link[] {
  const links: Link[] = [];
  const rest = parts(path);
  let at = "/";
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, part);
    if (!lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink()) {
      at = next;
      continue;
    }
    const target = readlinkSync(next);
    links.push({ at: next, target });
    if (links.length > MOST_LINKS) throw new ConfinementRefused(`${path} cannot be reached: too many symbolic links`);
    if (isAbsolute(target)) at = "/";
    rest.unshift(...parts(target));
  }
  return links;
}

function parts(path: string): string[] {
  return path.split(sep).filter((part) => part !== "" && part !== ".");
}
