import { closeSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { delays } from "../../../domain/values/delays.ts";
import { hasErrorCode } from "../../../domain/values/text.ts";
import type { SandboxEnd } from "../../../ports/executor.ts";
import { readStat } from "../../executor/process-id.ts";
import { type UnlinkedFile, unlinkedFile } from "./unlinked-file.ts";

/** The time that a pid namespace may take to be empty after its first process was killed. */
const EMPTY_LIMIT_MS = 5_000;
const LONGEST_PAUSE_MS = 20;

/** The status that bwrap writes for one sandbox (--json-status-fd). */
export interface StatusFile {
  readonly path: string;
  /**
   * Waits until the sandbox is empty, then closes the file. The kernel kills every process of a pid namespace before the first
   * one is gone, so only that one needs to be awaited.
   */
  settle(): Promise<SandboxEnd>;
}

/** Opens an empty one. */
export function openStatusFile(): StatusFile {
  const file = unlinkedFile(Buffer.alloc(0));
  let end: Promise<SandboxEnd> | undefined;
  return {
    path: file.path,
    settle: () => {
      end ??= settle(file);
      return end;
    },
  };
}

async function settle(file: UnlinkedFile): Promise<SandboxEnd> {
  const text = readFileSync(file.path, "utf8");
  closeSync(file.fd);
  return { reported: /"exit-code"\s*:/.test(text), empty: await isEmpty(text) };
}

async function isEmpty(status: string): Promise<boolean> {
  const pid = /"child-pid"\s*:\s*(\d+)/.exec(status)?.[1];
  const namespace = /"pid-namespace"\s*:\s*(\d+)/.exec(status)?.[1];
  if (pid === undefined || namespace === undefined) return true;
  const deadline = performance.now() + EMPTY_LIMIT_MS;
  for (const pauses = delays(1, LONGEST_PAUSE_MS); isThere(pid, namespace); ) {
    if (performance.now() > deadline) return false;
    await setTimeout(pauses.next().value);
  }
  return true;
}

/** A zombie counts as gone: the namespace was emptied before it became one, and its reaper is another program. */
function isThere(pid: string, namespace: string): boolean {
  if (readStat(Number(pid))?.dead !== false) return false;
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`) === `pid:[${namespace}]`;
  } catch (error) {
    // Gone, or its number now belongs to another user's process.
    if (hasErrorCode(error, "ENOENT", "EACCES")) return false;
    throw error;
  }
}
