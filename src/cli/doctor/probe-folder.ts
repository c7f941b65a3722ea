import { mkdtempSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { EXIT } from "../../domain/values/user-error.ts";

const folders = new Set<string>();

/** Runs `act` with a new private folder in `parent` and removes it afterwards, also if a signal ends the process. */
export async function withProbeFolder<T>(parent: string, act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(parent, ".loopdash-doctor-"));
  if (folders.size === 0) for (const signal of SIGNALS) process.on(signal, leave);
  folders.add(folder);
  try {
    return await act(folder);
  } finally {
    remove(folder);
    if (folders.size === 0) for (const signal of SIGNALS) process.off(signal, leave);
  }
}

/** The nearest existing path at or above `path`, which may be a file. */
export function nearestExisting(path: string): string {
  let at = path;
  while (statSync(at, { throwIfNoEntry: false }) === undefined && dirname(at) !== at) at = dirname(at);
  return at;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function leave(): void {
  for (const folder of folders) remove(folder);
  process.exit(EXIT.interrupted);
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}
