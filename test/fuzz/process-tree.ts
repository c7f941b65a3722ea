import { readFileSync } from "node:fs";

const PAGE = 4096;

/** The processes below one, and itself; those that ended meanwhile are left out. */
export function treeOf(pid: number): number[] {
  const found: number[] = [];
  const left = [pid];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    found.push(at);
    const children = readOf(at, `task/${at}/children`);
    left.push(...(children ?? "").split(" ").filter(Boolean).map(Number));
  }
  return found;
}

/** Memory of these processes that is theirs alone: resident pages without those of files. Bytes. */
export function memoryOf(pids: readonly number[]): number {
  const pages = pids.map((pid) => {
    const [, resident = 0, shared = 0] = (readOf(pid, "statm") ?? "").split(" ").map(Number);
    return Math.max(0, resident - shared);
  });
  return pages.reduce((sum, each) => sum + each, 0) * PAGE;
}

/** Kills them all, the first one first. Those that are gone are left out. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

function readOf(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}
