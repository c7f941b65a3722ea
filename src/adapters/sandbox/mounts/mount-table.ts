import { readFileSync } from "node:fs";

/** The fields of a mount that are used here (proc_pid_mountinfo(5)). */
export interface TableEntry {
  /** Folder of the file system that is mounted. */
  readonly root: string;
  readonly at: string;
  readonly type: string;
  readonly options: readonly string[];
  /** True if mounts that are made elsewhere, or by others here, appear below it (mount_namespaces(7)). */
  readonly receives: boolean;
}

/** The mounts that this process sees. */
export function mountTable(mountinfo: string = readFileSync("/proc/self/mountinfo", "utf8")): TableEntry[] {
  return mountinfo.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ", 2);
    const [, , , root, at, , ...tags] = before.split(" ");
    const [type = "", , options = ""] = after.split(" ");
    if (root === undefined || at === undefined) return [];
    const receives = tags.some((tag) => /^(?:shared|master):/.test(tag));
    return [{ root: unescaped(root), at: unescaped(at), type, options: options.split(","), receives }];
  });
}

/** Blanks, tabs, newlines and backslashes are written as octal numbers. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** Folders that hold a fresh file system inside anyway. */
const FRESH = /^\/(?:proc|sys|dev)(?:\/|$)/;

/**
 * Folders that are mounted on first access (autofs). They must be hidden: a mount that a confined process causes is made outside
 * and would appear inside, writable (mount_namespaces(7)).
 */
export function automounts(mountinfo?: string): string[] {
  const places = mountTable(mountinfo).flatMap(({ at, type }) => (type === "autofs" ? [at] : []));
  return [...new Set(places)].filter((place) => !FRESH.test(place));
}
