import { hash } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileSum } from "../../ports/run-files.ts";

/** Writes a file all or nothing, for this user alone. It and its name are on the disk when its sum is given. */
export async function writeWhole(file: string, text: string): Promise<FileSum> {
  const bytes = Buffer.from(text);
  const beside = `${file}.new`;
  try {
    await closed(await open(beside, "w", 0o600), async (handle) => {
      await handle.writeFile(bytes);
      await handle.sync();
    });
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  await closed(await open(dirname(file), "r"), (folder) => folder.sync());
  return { bytes: bytes.length, sha256: hash("sha256", bytes) };
}

async function closed(handle: FileHandle, use: (handle: FileHandle) => Promise<void>): Promise<void> {
  try {
    await use(handle);
  } finally {
    await handle.close();
  }
}
