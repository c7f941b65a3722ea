import { closeSync, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { outerNamespace, TOOLS, works } from "../bubblewrap/outer-namespace.ts";
import { unlinkedFile } from "../bubblewrap/unlinked-file.ts";
import type { Mount } from "./mount.ts";
import { mountTable, type TableEntry } from "./mount-table.ts";
import { isWithin, realPath } from "./real-path.ts";

/**
 * Where overlays are mounted before bwrap binds parts of them: a folder that every system has, that nobody keeps files in and
 * that bwrap makes anew inside. Only what starts bwrap sees them there.
 */
const STAGE = "/dev/pts";
/** What never is under an overlay: devices, and what the kernel shows of itself. */
const KERNELS = ["/dev", "/proc", "/sys"];
/** What a path may not hold that is an option of overlayfs. */
const SPECIAL = /[,:\\"]/;

/** Folders that are shown by overlays, and the mounts that take what they show from there. */
export interface Overlaid {
  readonly mounts: readonly Mount[];
  /** What is mounted before bwrap starts (fstab(5)); empty where nothing is. */
  readonly table: string;
  /** Where those are mounted that must be kept fresh. */
  readonly live: readonly string[];
}

/**
 * Shows what is only read by read-only overlayfs mounts of two lower folders, the second one empty. What is seen through an
 * overlay has inodes of its own: a FIFO there is another pipe, a Unix socket is nobody's, and locks, leases and watches do not
 * meet those of the file outside (Documentation/filesystems/overlayfs.rst, "Non-standard behavior"). What somebody outside adds, or
 * puts in the place of something, is not seen once it was looked for: overlayfs keeps what it found. It forgets that when it is
 * mounted anew, which must be done again and again with what `live` names.
 *
 * Sockets that a confinement names stay what they are, and so do what may be written and what lies in a folder of `except`: the
 * layer over that is an overlay already. What cannot be under an overlay is
 * bound as it is: a folder in which something is mounted (the kernel does not show what lies under such a mount to a user
 * namespace), a file right in such a folder, and what `can` says no to.
 */
export async function overlay(
  mounts: readonly Mount[],
  can: (top: string) => Promise<boolean>,
  {
    table = mountTable(),
    except = [],
    live = [],
  }: { readonly table?: readonly TableEntry[]; readonly except?: readonly string[]; readonly live?: readonly string[] } = {},
): Promise<Overlaid> {
  const wanted = new Map(
    mounts.flatMap((mount) => {
      const top = isOnlyRead(mount, except) ? topOf(mount.from, table) : undefined;
      return top === undefined ? [] : [[mount, top] as const];
    }),
  );
  const asked = [...new Set(wanted.values())];
  const answers = await Promise.all(asked.map(can));
  const tops = asked.filter((_, index) => answers[index]);
  const placeOf = (top: string) => `${STAGE}/${tops.indexOf(top)}`;
  const shown = mounts.map((mount): Mount => {
    const top = wanted.get(mount);
    if (mount.kind !== "bind" || top === undefined || !tops.includes(top)) return mount;
    return { ...mount, from: `${placeOf(top)}${mount.from.slice(top.length)}` };
  });
  const changing = tops.filter((top) => live.some((path) => isWithin(top, realPath(path) ?? path)));
  return { mounts: shown, table: tableOf(tops), live: changing.map(placeOf) };
}

function isOnlyRead(mount: Mount, except: readonly string[]): mount is Extract<Mount, { kind: "bind" }> {
  if (mount.kind !== "bind" || mount.write || mount.copied === true) return false;
  if (except.some((folder) => isWithin(folder, mount.from))) return false;
  if (KERNELS.some((folder) => isWithin(folder, mount.from))) return false;
  return statSync(mount.from, { throwIfNoEntry: false })?.isSocket() === false;
}

/**
 * The outermost folder around a path, or the path itself, that lies on the same file system and has nothing mounted in it.
 * Few overlays then show all that is read. It lies below a folder that everybody may write, such as /tmp: programs mount things
 * there all the time, and no overlay of a folder can be made in which something is mounted. Undefined where there is none.
 */
export function topOf(path: string, table: readonly TableEntry[]): string | undefined {
  const isFree = (folder: string) => !table.some(({ at }) => at !== folder && isWithin(folder, at));
  const root = table.reduce((found, { at }) => (at.length > found.length && isWithin(at, path) ? at : found), "/");
  let top: string | undefined;
  for (let folder = path; isFree(folder); folder = dirname(folder)) {
    top = folder;
    if (folder === root || isEverybodys(dirname(folder))) break;
  }
  if (top === undefined || SPECIAL.test(top) || !statSync(top).isDirectory()) return undefined;
  return top;
}

function isEverybodys(folder: string): boolean {
  return ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o002) !== 0;
}

/** The mount point of each, which is empty, is the second of its lower folders: there must be two. */
function tableOf(tops: readonly string[]): string {
  if (tops.length === 0) return "";
  const options = "ro,nosuid,nodev,X-mount.mkdir,redirect_dir=nofollow,metacopy=off";
  const overlays = tops.map((top, index) => {
    const at = `${STAGE}/${index}`;
    return `none ${at} overlay ${options},lowerdir=${escaped(top)}:${at} 0 0\n`;
  });
  return [`none ${STAGE} tmpfs size=64k,mode=0755 0 0\n`, ...overlays].join("");
}

/** Blanks and what ends a line are octal numbers there (getmntent(3)). */
function escaped(path: string): string {
  return path.replace(/[\s#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

/** Whether this kernel and this user can show these folders by overlays: they are, for a moment. */
export async function canOverlay(tops: readonly string[]): Promise<boolean> {
  if (![...Object.values(TOOLS), STAGE].every((path) => existsSync(path))) return false;
  const { fd, path } = unlinkedFile(Buffer.from(tableOf(tops)));
  try {
    const start = ["/bin/sh", "-c", 'exec 5<"$1"; shift; exec "$@"', "sh", path];
    return await works([...start, ...outerNamespace({ table: true }), "/bin/true"]);
  } finally {
    closeSync(fd);
  }
}

/** Which of these folders cannot be shown by an overlay here. */
export async function notOverlaid(folders: readonly string[]): Promise<string[]> {
  const table = mountTable();
  const there = [...new Set(folders)].flatMap((folder) => realPath(folder) ?? []);
  const answers = await Promise.all(
    there.map((folder) => {
      const top = topOf(folder, table);
      return top !== undefined && canOverlay([top]);
    }),
  );
  return there.filter((_, index) => answers[index] === false);
}
