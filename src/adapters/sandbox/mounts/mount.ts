import { dirname } from "node:path";
import { isSocket } from "./open-sockets.ts";
import { isWithin } from "./real-path.ts";

/** One thing that the confined process finds at a place. Places are real paths. */
export type Mount =
  /** An empty folder that takes nothing. */
  | { readonly at: string; readonly kind: "hidden" }
  /** A file that cannot be read, in the place of a file or socket. */
  | { readonly at: string; readonly kind: "masked" }
  /** An empty folder of its own, in memory, of at most so many bytes. */
  | { readonly at: string; readonly kind: "private"; readonly mode: string; readonly bytes: number }
  /** What the kernel shows of this sandbox alone: its processes, or the few devices that programs need. */
  | { readonly at: string; readonly kind: "proc" | "dev" }
  /** A symbolic link. */
  | { readonly at: string; readonly kind: "link"; readonly target: string }
  /**
   * What lies at `from` outside. A tool is shown only where it would be hidden otherwise, and may be missing. With `copied` it
   * can be written, and what is written is in memory and gone with the sandbox; there it must not be missing.
   */
  | {
      readonly at: string;
      readonly kind: "bind";
      readonly from: string;
      readonly write: boolean;
      readonly tool?: true;
      readonly copied?: true;
    };

type Bind = Extract<Mount, { kind: "bind" }>;

/** An empty folder, read-only: what all other mounts lie on. What is not named is not there. */
const ROOT: Mount = { at: "/", kind: "hidden" };

/** Which mount a path belongs to: the innermost that it lies in. */
export function ruling(mounts: readonly Mount[], path: string): Mount {
  let found: Mount = ROOT;
  for (const mount of mounts) {
    if (mount.at.length >= found.at.length && isWithin(mount.at, path)) found = mount;
  }
  return found;
}

/** Whether what lies outside at this place cannot be seen there. */
export function isCovered(mount: Mount): boolean {
  return mount.kind === "hidden" || mount.kind === "private";
}

/**
 * Puts mounts in an order in which outer ones come before inner ones, and leaves out those that change nothing. Of two at
 * the same place the later one given counts.
 *
 * A folder between a writable one and something else mounted within it is mounted onto itself: the kernel refuses to
 * rename or remove a mount point, so nothing can be put aside by renaming what it lies in.
 */
export function arrange(wishes: readonly Mount[]): Mount[] {
  const byPlace = new Map(wishes.filter((wish) => !isTool(wish)).map((wish) => [wish.at, wish]));
  for (const tool of wishes.filter(isTool)) if (!byPlace.has(tool.at)) byPlace.set(tool.at, tool);
  const kept: Mount[] = [];
  for (const mount of outerFirst([...byPlace.values()])) {
    const above = ruling(kept, dirname(mount.at));
    if (isIdle(mount, above)) continue;
    kept.push(...pins(mount, above), mount);
  }
  return outerFirst(kept);
}

function isTool(mount: Mount): boolean {
  return mount.kind === "bind" && mount.tool === true;
}

function outerFirst(mounts: readonly Mount[]): Mount[] {
  const depth = (mount: Mount) => (mount.at === "/" ? 0 : mount.at.split("/").length);
  return mounts.toSorted((a, b) => depth(a) - depth(b));
}

/** Whether a mount would change nothing, or has nothing to lie on. */
function isIdle(mount: Mount, above: Mount): boolean {
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
      // A folder that is only read may come through an overlay, in which its sockets are nobody's: one that is named is bound.
      if (isSocket(mount.from)) return false;
      return above.kind === "bind" && !isElsewhere && mount.from === mount.at && mount.write === above.write;
  }
}

function pins(mount: Mount, above: Mount): Bind[] {
  if (above.kind !== "bind" || !above.write) return [];
  const found: Bind[] = [];
  for (let at = dirname(mount.at); at !== above.at; at = dirname(at)) {
    found.push({ at, kind: "bind", from: above.from + at.slice(above.at.length), write: true });
  }
  return found;
}

/** The arguments of bwrap for mounts that are in order. */
export function mountArguments(mounts: readonly Mount[]): string[] {
  return mounts.flatMap((mount) => argumentsOf(mount));
}

function argumentsOf(mount: Mount): string[] {
  switch (mount.kind) {
    case "hidden":
      // Closed by its mode, and no page of memory beyond one: mounting it again read-only costs 0.3 ms for each.
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
