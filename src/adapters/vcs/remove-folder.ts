import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ifThere } from "./admin-dirs.ts";

/**
 * Removes a folder and all in it. Links are removed, never followed. Folders without write permission (module caches of
 * several languages are like that) are made writable first, where a plain removal fails on them.
 */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (!isDenied(error)) throw error;
    await makeWritable(path);
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  }
}

async function makeWritable(path: string): Promise<void> {
  const found = await ifThere(lstat(path));
  if (found?.isDirectory() !== true) return;
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(path, entry.name));
  }
}

function isDenied(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EACCES" || code === "EPERM" || code === "ENOTEMPTY";
}
