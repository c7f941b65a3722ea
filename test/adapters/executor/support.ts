import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach } from "vitest";
import { isAlive, processId } from "../../../src/adapters/executor/process-id.ts";
import type { ExecRequest, ProcessId } from "../../../src/ports/executor.ts";

/** The tiny real programs under test/fixtures/programs. */
export function program(name: string): string {
  return join(import.meta.dirname, "../../fixtures/programs", name);
}

let folder = "";
let markers = 0;

/** A folder of its own for each test of the file, removed afterwards; also what a failed test left running is ended. */
export function useFolder(): () => string {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "loopdash-executor-"));
  });
  afterEach(() => {
    const left = strayOf(folder);
    if (left !== undefined && isAlive(left)) process.kill(left.pid, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  return () => folder;
}

/** A request with far limits and a marker of its own. */
export function requestOf(execRequest: Partial<ExecRequest> & Pick<ExecRequest, "argv">): ExecRequest {
  markers += 1;
  return {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "" },
    logFile: join(folder, "log"),
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    marker: `test-${process.pid}-${markers}`,
    ...execRequest,
  };
}

/** Waits until `check` gives a value that is neither undefined nor false; fails after ten seconds. */
export async function until<T>(what: string, check: () => T | undefined | false): Promise<T> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const value = check();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`never so: ${what}`);
    await setTimeout(5);
  }
}

/** The pid that leave-behind.sh wrote. */
export function strayPid(text: string): number | undefined {
  const file = join(text, "stray.pid");
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : undefined;
}

function strayOf(text: string): ProcessId | undefined {
  const pid = strayPid(text);
  return pid === undefined ? undefined : processId(pid);
}
