import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { isNoSuchProcess, type ProcessStat, readStat } from "./process-id.ts";

/** The variable every child carries; what it starts inherits it. */
export const FENCE_VARIABLE = "LOOPDASH_FENCE";

/** All living user-space processes that started at `notBefore` or later (clock ticks since boot). Empty without /proc. */
export type ReadProcessTable = (notBefore: number) => Promise<readonly ProcessStat[]>;

/** The number of processes that are read before other work of the engine gets its turn. */
const ROWS_PER_TURN = 256;
const PREFIX = Buffer.from(`${FENCE_VARIABLE}=`);

interface Known {
  readonly inode: number;
  readonly started: number;
  readonly kernelThread: boolean;
}

/**
 * A reader of /proc that remembers when each process started, so that a scan costs one stat(2) for each old process and reads
 * only young ones. The inode number of /proc/<pid> distinguishes a process from a later one with its pid: the kernel makes a new
 * inode for a new process.
 */
export function createProcessTable(): ReadProcessTable {
  let known = new Map<number, Known>();
  return async (notBefore) => {
    if (process.platform !== "linux") return [];
    const rows: ProcessStat[] = [];
    const next = new Map<number, Known>();
    const before = known;
    let looked = 0;
    for (const pid of listPids()) {
      if (++looked % ROWS_PER_TURN === 0) await setImmediate();
      const found = lookAt(pid, before.get(pid), notBefore);
      if (found === undefined) continue;
      next.set(pid, found.known);
      if (found.row !== undefined) rows.push(found.row);
    }
    known = next;
    return rows;
  };
}

/** The known facts of a process, and its row if the table lists it. */
function lookAt(pid: number, old: Known | undefined, notBefore: number): { known: Known; row?: ProcessStat } | undefined {
  const inode = processInode(pid);
  if (inode === undefined) return undefined;
  if (old?.inode === inode && (old.kernelThread || old.started < notBefore)) return { known: old };
  const row = readStat(pid);
  if (row === undefined) return undefined;
  const known = { inode, started: Number(row.startTime), kernelThread: row.kernelThread };
  return row.dead || row.kernelThread || known.started < notBefore ? { known } : { known, row };
}

/** The values of LOOPDASH_FENCE in a process's initial environment; none if it is hidden from this user. */
export function readFences(pid: number): readonly string[] {
  let environ: Buffer;
  try {
    environ = readFileSync(`/proc/${pid}/environ`);
  } catch (error) {
    if (isNoSuchProcess(error)) return [];
    throw error;
  }
  const fences: string[] = [];
  for (let at = environ.indexOf(PREFIX); at !== -1; at = environ.indexOf(PREFIX, at + 1)) {
    if (at !== 0 && environ[at - 1] !== 0) continue;
    const end = environ.indexOf(0, at);
    fences.push(environ.toString("utf8", at + PREFIX.length, end === -1 ? environ.length : end));
  }
  return fences;
}

/** The pipes and sockets behind the process's stdout and stderr, as the kernel names them. */
export function outputLinks(pid: number): ReadonlySet<string | undefined> {
  return new Set([1, 2].map((fd) => readLink(`/proc/${pid}/fd/${fd}`)).filter((link) => /^(?:socket|pipe):/.test(link ?? "")));
}

/** True if the process has one of these open. */
export function holdsAny(pid: number, outputs: ReadonlySet<string | undefined>): boolean {
  if (outputs.size === 0) return false;
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => outputs.has(readLink(`/proc/${pid}/fd/${fd}`)));
  } catch (error) {
    if (isNoSuchProcess(error)) return false;
    throw error;
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (isNoSuchProcess(error)) return undefined;
    throw error;
  }
}

function listPids(): number[] {
  const pids: number[] = [];
  for (const name of readdirSync("/proc")) {
    const first = name.charCodeAt(0);
    if (first >= 0x31 && first <= 0x39) pids.push(Number(name));
  }
  return pids;
}

function processInode(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.ino;
  } catch (error) {
    if (isNoSuchProcess(error)) return undefined;
    throw error;
  }
}
