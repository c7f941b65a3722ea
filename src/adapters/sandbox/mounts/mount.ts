import { dirname } from "node:path";
import { isSocket } from "./open-sockets.ts";
import { isWithin } from "./real-path.ts";

/** One mount of the confined process. Places are real paths. */
export type SandboxMount =
  /** An empty folder that takes no file. */
  | { readonly at: string; readonly kind: "hidden" }
  /** A file that cannot be read, in the place of a file or socket. */
  | { readonly at: string; readonly kind: "masked" }
  /** A private empty folder in memory, with a size limit. */
  | { readonly at: string; readonly kind: "private"; readonly mode: string; readonly bytes: number }
  /** The kernel's view of this sandbox alone: its processes, or the few devices that programs need. */
  | { readonly at: string; readonly kind: "proc" | "dev" }
  /** A symbolic link. */
  | { readonly at: string; readonly kind: "link"; readonly target: string }
  /**
   * The file or folder at `from` outside. A tool is shown only if it would be hidden otherwise, and may be missing. With
   * `copied`, it can be written: changes stay in memory and disappear with the sandbox. It must exist then.
   */
  | {
      readonly at: string;
      readonly kind: "bind";
      readonly from: string;
      readonly write: boolean;
      readonly tool?: true;
      readonly copied?: true;
    };

type Bind = Extract<SandboxMount, { kind: "bind" }>;

/** An empty read-only folder on which all other mounts lie. Paths that are not mounted do not exist inside. */
const ROOT: SandboxMount = { at: "/", kind: "hidden" };

/** The mount that a path belongs to: the innermost one that contains it. */
export function ruling(mounts: readonly SandboxMount[], path: string): SandboxMount {
  let found: SandboxMount = ROOT;
  for (const mount of mounts) {
    if (mount.at.length >= found.at.length && isWithin(mount.at, path)) found = mount;
  }
  return found;
}

/** True if the outside content of this place is not visible there. */
export function isCovered(mount: SandboxMount): boolean {
  return mount.kind === "hidden" || mount.kind === "private";
}

/**
 * Orders mounts so that outer ones come before inner ones, and drops those without effect. Of two at the same place, the later
 * one wins.
 *
 * A folder between a writable one and a mount within it is mounted onto itself: the kernel refuses to rename or remove a mount
 * point, so nobody can move a mount away by renaming a folder around it.
 */
export function arrange(wishes: readonly SandboxMount[]): SandboxMount[] {
  const byPlace = new Map(wishes.filter((wish) => !isTool(wish)).map((wish) => [wish.at, wish]));
  for (const tool of wishes.filter(isTool)) if (!byPlace.has(tool.at)) byPlace.set(tool.at, tool);
  const kept: SandboxMount[] = [];
  for (const mount of outerFirst([...byPlace.values()])) {
    const above = ruling(kept, dirname(mount.at));
    if (isIdle(mount, above)) continue;
    kept.push(...pins(mount, above), mount);
  }
  return outerFirst(kept);
}

function isTool(mount: SandboxMount): boolean {
  return mount.kind === "bind" && mount.tool === true;
}

function outerFirst(mounts: readonly SandboxMount[]): SandboxMount[] {
  const depth = (mount: SandboxMount) => (mount.at === "/" ? 0 : mount.at.split("/").length);
  return mounts.toSorted((a, b) => depth(a) - depth(b));
}

/** True if a mount would change nothing, or has nothing to lie on. */
function isIdle(mount: SandboxMount, above: SandboxMount): boolean {
  const isElsewhere = above.kind === "bind" && above.from !== above.at;
  switch (mount.kind) {
    case "hidden":
    case "masked":
      return isCovered(above) || isElsewhere;
    case "link":
      return !isCovered(above);
    case "private":
    case "proc":
    case "dev":
      return false;
    case "bind":
      if (mount.tool === true) return !isCovered(above);
      // A read-only folder may be shown through an overlay, in which its sockets are dead: a socket that is named is bound.
      if (isSocket(mount.from)) return false;
      return above.kind === "bind" && !isElsewhere && mount.from === mount.at && mount.write === above.write;
  }
}

function pins(mount: SandboxMount, above: SandboxMount): Bind[] {
  if (above.kind !== "bind" || !above.write) return [];
  const found: Bind[] = [];
  for (let at = dirname(mount.at); at !== above.at; at = dirname(at)) {
    found.push({ at, kind: "bind", from: above.from + at.slice(above.at.length), write: true });
  }
  return found;
}

/** The arguments of bwrap for ordered mounts. */
export function mountArguments(mounts: readonly SandboxMount[]): string[] {
  return mounts.flatMap((mount) => bwrapArguments(mount));
}

function bwrapArguments(mount: SandboxMount): string[] {
  switch (mount.kind) {
    case "hidden":
      // The mode closes it, and it holds one page of memory at most: remounting it read-only would cost 0.3 ms each.
      return ["--perms", "0555", "--size", "4096", "--tmpfs", mount.at];
    case "masked":
      // Bound without devices, so that even reading it fails.
      return ["--ro-bind", "/dev/null", mount.at];
    case "private":
      return ["--perms", mount.mode, "--size", String(mount.bytes), "--tmpfs", mount.at];
    case "proc":
    case "dev":
      return [`--${mount.kind}`, mount.at];
    case "link":
      return ["--symlink", mount.target, mount.at];
    case "bind":
      if (mount.copied === true) return ["--overlay-src", mount.from, "--tmp-overlay", mount.at];
      return [`--${mount.write ? "" : "ro-"}bind${mount.tool === true ? "-try" : ""}`, mount.from, mount.at];
  }
}
