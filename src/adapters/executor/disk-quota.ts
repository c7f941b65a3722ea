import { mkdir, statfs } from "node:fs/promises";
import { sep } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ExecRequest, ExecResult, Executor, ProcessId } from "../../ports/executor.ts";
import { removeFolder } from "../remove-folder.ts";
import { type DiskBounds, type DiskUse, diskUse, sizeInWords } from "./disk-use.ts";
import { killGroup } from "./sweep.ts";

/** Limits of one program's disk use. */
export interface DiskQuota {
  /** Folders of the run: only files that a program may write in them are counted. */
  readonly roots: readonly string[];
  /** Limit for all folders of a program except its outbox, together. */
  readonly bytes: number;
  /** Interval between checks of the disk, in milliseconds; for tests. */
  readonly everyMs?: number;
}

/** The outbox holds a few small files (docs/use/outbox.md). */
const OUTBOX: DiskBounds = { bytes: 64 * 2 ** 20, entries: 2_000 };
/** Several times more files and folders than any known tree of packages has. */
const MOST_ENTRIES = 2_000_000;
const EVERY_MS = 250;
/** Walking all folders takes at most this share (1/n) of the time. */
const SHARE = 20;
const AT_LEAST_EVERY_MS = 60_000;
/** The disk counts as full if less than this is free: bytes, or a share of a small disk. */
const RESERVE = { bytes: 512 * 2 ** 20, share: 0.05 };

interface Free {
  readonly bytes: number;
  readonly inodes: number;
  /** False if the file system does not report its use. */
  readonly counts: boolean;
  readonly reserve: number;
}

/** One program under way. */
interface Member {
  readonly outbox: string | undefined;
  readonly folders: readonly string[];
  readonly free: Free;
  readonly over: AbortController;
  /** Aborted when the program has ended. */
  readonly ended: AbortController;
  process?: ProcessId | undefined;
  why?: string | undefined;
}

/**
 * An executor that keeps programs from filling the disk. A program is killed at once if its outbox or its folders exceed their
 * limits, or if the disk runs full and it wrote the most. The result says so (`over-quota`), and its outbox is emptied; their
 * owner removes its other folders. In the sandbox, no single file can exceed the limit either.
 */
export function quotaExecutor(executor: Executor, quota: DiskQuota): Executor {
  const members = new Set<Member>();
  return {
    killStrays: (options) => executor.killStrays(options),
    async run(request) {
      const member: Member = {
        ...writableFolders(request, quota),
        free: await readFreeSpace(quota),
        over: new AbortController(),
        ended: new AbortController(),
      };
      members.add(member);
      void watchOver(member, members, quota);
      try {
        const result = await executor.run(watched(request, member, quota));
        // Checks files that the program wrote in its last moments.
        await lastLook(member, members, quota);
        if (member.why === undefined && hitFileLimit(result)) await blameFile(member, quota);
        member.ended.abort();
        return await quotaResult(result, member);
      } finally {
        member.ended.abort();
        members.delete(member);
      }
    },
  };
}

function watched(request: ExecRequest, member: Member, quota: DiskQuota): ExecRequest {
  const { confinement } = request;
  const limits = { fileBytes: quota.bytes, ...confinement?.limits };
  return {
    ...request,
    signal: AbortSignal.any([request.signal, member.over.signal]),
    ...(confinement === undefined ? {} : { confinement: { ...confinement, limits } }),
    onStart: (process) => {
      member.process = process;
      request.onStart?.(process);
    },
  };
}

async function quotaResult(result: ExecResult, { why, outbox }: Member): Promise<ExecResult> {
  if (why === undefined) return result;
  if (outbox !== undefined) {
    await removeFolder(outbox);
    await mkdir(outbox, { mode: 0o700 });
  }
  return { ...result, ending: "over-quota", message: why };
}

/** The folders of the run that a program may write. */
function writableFolders({ cwd, env, confinement }: ExecRequest, { roots }: DiskQuota): Pick<Member, "outbox" | "folders"> {
  const outbox = env["LOOPDASH_OUTBOX"];
  const layers = confinement?.layers?.map(({ upper }) => upper) ?? [];
  const mounts = confinement?.mounts.flatMap(({ from, write }) => (write ? [from] : [])) ?? [];
  const artifacts = env["LOOPDASH_ARTIFACTS"] ?? cwd;
  const all = new Set([cwd, artifacts, ...(confinement?.write ?? []), ...layers, ...mounts]);
  const own = [...all].filter((path) => path !== outbox && roots.some((root) => path.startsWith(root + sep)));
  // A folder inside another one is counted with it.
  const folders = own.filter((path) => !own.some((other) => path.startsWith(other + sep)));
  return { outbox, folders };
}

async function watchOver(member: Member, members: ReadonlySet<Member>, quota: DiskQuota): Promise<void> {
  const { signal } = member.ended;
  const walk: Walk = { at: performance.now(), tookMs: 0 };
  while (!signal.aborted && member.why === undefined) {
    await pause(quota.everyMs ?? EVERY_MS, undefined, { signal }).catch(() => undefined);
    // A failed check is repeated: it is no reason to end a program.
    if (!signal.aborted) await look(member, members, quota, walk).catch(() => undefined);
  }
}

async function lastLook(member: Member, members: ReadonlySet<Member>, quota: DiskQuota): Promise<void> {
  // Its pid may belong to another process now.
  member.process = undefined;
  if (member.why !== undefined) return;
  const over = await outboxOver(member);
  if (over !== undefined) return end(member, over);
  const free = await readFreeSpace(quota);
  if (free.counts && free.bytes < free.reserve) await blame(members, free, quota);
}

/** The last walk through all folders of a program: when it ended and how long it took. Milliseconds. */
interface Walk {
  at: number;
  tookMs: number;
}

async function look(member: Member, members: ReadonlySet<Member>, quota: DiskQuota, walk: Walk): Promise<void> {
  const free = await readFreeSpace(quota);
  const over = await outboxOver(member);
  if (over !== undefined) return end(member, over);
  if (free.counts && free.bytes < free.reserve) return blame(members, free, quota);
  const since = performance.now() - walk.at;
  const due = grewMuch(member.free, free, quota) || since > AT_LEAST_EVERY_MS;
  if (!due || since < SHARE * walk.tookMs) return;
  const begun = performance.now();
  const sum = await sumDiskUse(member, quota);
  if (sum.over !== undefined) end(member, `its worktree holds ${sum.over} (limits.diskGiB)`);
  walk.at = performance.now();
  walk.tookMs = walk.at - begun;
}

/** The words of C libraries, Node and shells for a file that has reached RLIMIT_FSIZE (setrlimit(2): SIGXFSZ, or EFBIG). */
const FILE_LIMIT = /\bEFBIG\b|file too large|file size limit exceeded/i;

/** True if a program seems to have failed because a file could not grow. */
function hitFileLimit({ ending, exitCode, signal, tail }: ExecResult): boolean {
  return ending === "exited" && exitCode !== 0 && (signal === "SIGXFSZ" || FILE_LIMIT.test(tail));
}

/** Names the bound where the folders of a program hold as much: else it met another limit than this one. */
async function blameFile(member: Member, quota: DiskQuota): Promise<void> {
  const { bytes, over } = await sumDiskUse(member, quota);
  if (over === undefined && bytes < quota.bytes) return;
  member.why = `a file of it could not grow beyond ${sizeInWords(quota.bytes)} (limits.diskGiB)`;
}

/** True if the disk has lost so much since the program began that this program could be the cause. */
function grewMuch(before: Free, now: Free, quota: DiskQuota): boolean {
  return before.bytes - now.bytes > quota.bytes / 4 || before.inodes - now.inodes > MOST_ENTRIES / 4;
}

function end(member: Member, why: string): void {
  if (member.why !== undefined || member.ended.signal.aborted) return;
  member.why = why;
  member.over.abort();
  // Without the usual grace period: it would go on writing.
  if (member.process !== undefined) killGroup(member.process.pid);
}

async function outboxOver({ outbox }: Member): Promise<string | undefined> {
  if (outbox === undefined) return undefined;
  const { over } = await diskUse(outbox, OUTBOX);
  return over === undefined ? undefined : `it filled its outbox, which holds ${over}`;
}

/** The use of all folders of a program together. */
async function sumDiskUse({ ended, folders }: Member, quota: DiskQuota): Promise<DiskUse> {
  let [bytes, entries, hidden] = [0, 0, false];
  for (const folder of folders) {
    const sum = await diskUse(folder, { bytes: quota.bytes - bytes, entries: MOST_ENTRIES - entries }, ended.signal);
    const { over } = sum;
    [bytes, entries, hidden] = [bytes + sum.bytes, entries + sum.entries, hidden || sum.hidden];
    if (over !== undefined)
      return { bytes, entries, hidden, over: over.startsWith("folders") ? over : describeBound(bytes, quota) };
  }
  return { bytes, entries, hidden };
}

function describeBound(bytes: number, quota: DiskQuota): string {
  return bytes > quota.bytes ? `more than ${sizeInWords(quota.bytes)}` : `more than ${MOST_ENTRIES} files and folders`;
}

/** Searches that are under way, by the programs among which they search. */
const searches = new WeakMap<ReadonlySet<Member>, Promise<void>>();

/**
 * Handles a full disk: one search at a time for the program that filled it. Who asks meanwhile waits for that search: a program
 * that has ended by itself must still be there when the search names it.
 */
function blame(members: ReadonlySet<Member>, free: Free, quota: DiskQuota): Promise<void> {
  const search = searches.get(members) ?? blameMost(members, free, quota).finally(() => searches.delete(members));
  searches.set(members, search);
  return search;
}

/** Ends the program that holds the most, if it holds at least half of the space lost since it began. */
async function blameMost(members: ReadonlySet<Member>, free: Free, quota: DiskQuota): Promise<void> {
  // A program that is being ended frees its space soon.
  if ([...members].some(({ why }) => why !== undefined)) return;
  const sums = await Promise.all([...members].map(async (member) => ({ member, bytes: await heldBytes(member, quota) })));
  const lost = (member: Member) => Math.max(free.reserve, member.free.bytes - free.bytes);
  const [worst] = sums.filter(({ member, bytes }) => bytes >= lost(member) / 2).toSorted((a, b) => b.bytes - a.bytes);
  if (worst === undefined) return;
  const holds = Number.isFinite(worst.bytes) ? sizeInWords(worst.bytes) : "folders that nobody may look into";
  end(worst.member, `it filled the disk: its folders hold ${holds}, and ${sizeInWords(free.bytes)} are left`);
}

/** The space that a program holds; folders that cannot be read count as more than anything else. */
async function heldBytes(member: Member, quota: DiskQuota): Promise<number> {
  const own = await sumDiskUse(member, quota);
  if (own.hidden || own.over !== undefined) return Number.POSITIVE_INFINITY;
  return own.bytes + (member.outbox === undefined ? 0 : (await diskUse(member.outbox, OUTBOX)).bytes);
}

async function readFreeSpace({ roots }: DiskQuota): Promise<Free> {
  const { bavail, blocks, bsize, ffree } = await statfs(roots[0] ?? "/");
  const reserve = Math.min(RESERVE.bytes, blocks * bsize * RESERVE.share);
  return { bytes: bavail * bsize, inodes: ffree, counts: blocks !== 0, reserve };
}
