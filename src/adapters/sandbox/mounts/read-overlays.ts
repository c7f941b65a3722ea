import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { outerNamespace, TOOLS, works } from "../bubblewrap/outer-namespace.ts";
import type { SandboxMount } from "./mount.ts";
import { mountTable, type TableEntry } from "./mount-table.ts";
import { isWithin, realPath } from "./real-path.ts";

/**
 * The folder in which overlays are mounted before bwrap binds parts of them. Every system has it, nobody keeps files in it, and
 * bwrap makes a new one inside. Only the program that starts bwrap sees the overlays there.
 */
const STAGE = "/dev/pts";
/** Folders that are never under an overlay: devices, and the kernel's own file systems. */
const KERNELS = ["/dev", "/proc", "/sys"];
/** Characters that a path in an option of overlayfs may not contain. */
const SPECIAL = /[,:\\"]/;

/** Folders that are shown through overlays, and the mounts that use them. */
export interface Overlaid {
  readonly mounts: readonly SandboxMount[];
  /** The table of mounts made before bwrap starts (fstab(5)); empty if there are none. */
  readonly table: string;
  /** Mount points of the overlays that must be kept fresh. */
  readonly live: readonly string[];
}

/**
 * Shows read-only folders through read-only overlayfs mounts of two lower folders, the second one empty. Inodes in an overlay are
 * its own: a FIFO is another pipe, a Unix socket is dead, and locks, leases and watches do not meet those of the outside file
 * (Documentation/filesystems/overlayfs.rst, "Non-standard behavior"). A file that somebody outside adds or replaces is not seen
 * once its name was looked up: overlayfs keeps its first answer. It forgets the answer when it is remounted, so the mounts in
 * `live` must be remounted regularly.
 *
 * Some mounts keep their kind: sockets that a confinement names, writable folders, and folders in `except`, which are under an
 * overlay already. Some paths cannot be under an overlay and are bound instead: a folder that contains a mount (the kernel does
 * not show a user namespace what lies under such a mount), a file directly in such a folder, and a folder that `can` refuses.
 */
export async function overlay(
  mounts: readonly SandboxMount[],
  can: (top: string) => Promise<boolean>,
  {
    table = mountTable(),
    except = [],
    live = [],
  }: { readonly table?: readonly TableEntry[]; readonly except?: readonly string[]; readonly live?: readonly string[] } = {},
): Promise<Overlaid> {
  const wanted = new Map(
    mounts.flatMap((mount) => {
      const top = isOnlyRead(mount, except) ? overlayTop(mount.from, table) : undefined;
      return top === undefined ? [] : [[mount, top] as const];
    }),
  );
  const asked = [...new Set(wanted.values())];
  const answers = await Promise.all(asked.map(can));
  const tops = asked.filter((_, index) => answers[index]);
  const stagePath = (top: string) => `${STAGE}/${tops.indexOf(top)}`;
  const shown = mounts.map((mount): SandboxMount => {
    const top = wanted.get(mount);
    if (mount.kind !== "bind" || top === undefined || !tops.includes(top)) return mount;
    return { ...mount, from: `${stagePath(top)}${mount.from.slice(top.length)}` };
  });
  const changing = tops.filter((top) => live.some((path) => isWithin(top, realPath(path) ?? path)));
  return { mounts: shown, table: overlayTable(tops), live: changing.map(stagePath) };
}

function isOnlyRead(mount: SandboxMount, except: readonly string[]): mount is Extract<SandboxMount, { kind: "bind" }> {
  if (mount.kind !== "bind" || mount.write || mount.copied === true) return false;
  if (except.some((folder) => isWithin(folder, mount.from))) return false;
  if (KERNELS.some((folder) => isWithin(folder, mount.from))) return false;
  return statSync(mount.from, { throwIfNoEntry: false })?.isSocket() === false;
}

/**
 * The outermost folder around a path, or the path itself, that lies on the same file system and contains no mount. Few overlays
 * then show all read-only folders. It lies below any folder that everybody may write, such as /tmp: programs mount there all the
 * time, and no overlay of a folder with a mount in it can be made. Undefined if there is none.
 */
export function overlayTop(path: string, table: readonly TableEntry[]): string | undefined {
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

/** overlayfs needs two lower folders: the second one is the empty mount point itself. */
function overlayTable(tops: readonly string[]): string {
  if (tops.length === 0) return "";
  const options = "ro,nosuid,nodev,X-mount.mkdir,redirect_dir=nofollow,metacopy=off";
  const overlays = tops.map((top, index) => {
    const at = `${STAGE}/${index}`;
    return `none ${at} overlay ${options},lowerdir=${escaped(top)}:${at} 0 0\n`;
  });
  return [`none ${STAGE} tmpfs size=64k,mode=0755 0 0\n`, ...overlays].join("");
}

/** Blanks and line ends are octal numbers in the table (getmntent(3)). */
function escaped(path: string): string {
  return path.replace(/[\s#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

/** True if this kernel and this user can show these folders through overlays: they are mounted for a moment. */
export async function canOverlay(tops: readonly string[]): Promise<boolean> {
  if (![...Object.values(TOOLS), STAGE].every((path) => existsSync(path))) return false;
  return await works([...outerNamespace({ table: true }), "/bin/true"], overlayTable(tops));
}

/** The folders that cannot be shown through an overlay here. */
export async function notOverlaid(folders: readonly string[]): Promise<string[]> {
  const table = mountTable();
  const there = [...new Set(folders)].flatMap((folder) => realPath(folder) ?? []);
  const answers = await Promise.all(
    there.map((folder) => {
      const top = overlayTop(folder, table);
      return top !== undefined && canOverlay([top]);
    }),
  );
  return there.filter((_, index) => answers[index] === false);
}
