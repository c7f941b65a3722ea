import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { totalmem } from "node:os";
import { dirname, join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { systemCode } from "../../disk-error.ts";
import { runsWell } from "../../executor/brief-run.ts";
import { mountTable, type TableEntry } from "../mounts/mount-table.ts";
import { isWithin } from "../mounts/real-path.ts";

/** The share of this process's memory that one sandbox may use. */
const SHARE_OF_MEMORY = 0.75;
const TRIAL_MS = 5_000;
/** Attempts to remove a group, and the pause between them: its processes may not be reaped yet. */
const REMOVALS = { times: 20, pauseMs: 5 } as const;
const NAME = /^loopdash-(\d+)-/;

/** A folder in which control groups can be made. */
export interface GroupHome {
  readonly folder: string;
  /** True if a group there also bounds memory; it always bounds processes. */
  readonly memory: boolean;
}

/** A control group for one sandbox. */
export interface ControlGroup {
  /** Writing 0 into this file moves the writer into the group, and whatever it starts later. */
  readonly enter: string;
  /** Removes the group after everything in it has ended. A later engine removes a group that resists. */
  remove(): Promise<void>;
}

/** The memory that one sandbox may use if it is bounded. Bytes. */
export function memoryMax(): number {
  return Math.floor(Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) * SHARE_OF_MEMORY);
}

/**
 * The folder in which this process may make and enter control groups: beside its own group or below it (cgroups(7), version 2,
 * where processes live in leaves only), otherwise below its own group among those of version 1 that count processes. Undefined if
 * there is none: a session that is not delegated to its user, most containers.
 */
export function findGroupHome(
  options = { own: readFileSync("/proc/self/cgroup", "utf8"), table: mountTable() },
): GroupHome | undefined {
  const homes = [...versionTwo(options.own, options.table), ...versionOne(options.own, options.table)];
  return homes.find((home) => isWritable(home.folder) && works(home));
}

function versionTwo(own: string, table: readonly TableEntry[]): GroupHome[] {
  const path = /^0::(\/.*)$/m.exec(own)?.[1];
  const mount = table.find(({ type }) => type === "cgroup2");
  const folder = mount === undefined || path === undefined ? undefined : mountedFolder(mount, path);
  if (folder === undefined || mount === undefined) return [];
  const places = folder === mount.at ? [folder] : [dirname(folder), folder];
  return places.flatMap((place) => {
    const given = readOrNothing(join(place, "cgroup.subtree_control")).split(/\s+/);
    return given.includes("pids") ? [{ folder: place, memory: given.includes("memory") }] : [];
  });
}

function versionOne(own: string, table: readonly TableEntry[]): GroupHome[] {
  const path = /^\d+:(?:[^:\n]*,)?pids(?:,[^:\n]*)?:(\/.*)$/m.exec(own)?.[1];
  const mount = table.find(({ type, options }) => type === "cgroup" && options.includes("pids"));
  const folder = mount === undefined || path === undefined ? undefined : mountedFolder(mount, path);
  return folder === undefined ? [] : [{ folder, memory: false }];
}

/** Undefined if the group lies outside the mounted part, as in some containers. */
function mountedFolder({ root, at }: TableEntry, path: string): string | undefined {
  return isWithin(root, path) ? join(at, relative(root, path)) : undefined;
}

/** Makes a group with these bounds. Throws the file system's error if that fails. */
export function makeGroup(
  home: GroupHome,
  { processes, bytes }: { readonly processes: number; readonly bytes: number },
): ControlGroup {
  groups += 1;
  const folder = join(home.folder, `loopdash-${process.pid}-${groups}`);
  mkdirSync(folder);
  try {
    writeFileSync(join(folder, "pids.max"), String(processes));
    if (home.memory) writeFileSync(join(folder, "memory.max"), String(bytes));
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  return { enter: join(folder, "cgroup.procs"), remove: () => remove(folder) };
}

let groups = 0;

/** Tries out a group, and removes groups that killed engines left. */
function works(home: GroupHome): boolean {
  let group: ControlGroup | undefined;
  try {
    for (const name of readdirSync(home.folder)) if (isLeft(name)) removeOne(join(home.folder, name));
    group = makeGroup(home, { processes: 100, bytes: memoryMax() });
    return runsWell(["/bin/sh", "-c", 'echo 0 >"$1"', "sh", group.enter], { env: {}, timeoutMs: TRIAL_MS });
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  } finally {
    if (group !== undefined) removeOne(dirname(group.enter));
  }
}

/** True if a folder is the group of an engine that no longer runs. */
function isLeft(name: string): boolean {
  const pid = NAME.exec(name)?.[1];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return systemCode(error) === "ESRCH";
  }
}

async function remove(folder: string): Promise<void> {
  for (let attempt = 0; attempt < REMOVALS.times && !removeOne(folder); attempt += 1) await setTimeout(REMOVALS.pauseMs);
}

/** False if a process is still in it. */
function removeOne(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return systemCode(error) === "ENOENT";
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return "";
  }
}
