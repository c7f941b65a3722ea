import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { FileSum } from "../ports/run-files.ts";
import { withPlainFile } from "./plain-file.ts";

const CHUNK = 256 * 1024;

/** The sum of a plain file, or the reason that it has none; undefined if there is no such file. */
export type Summed = ({ readonly ok: true } & FileSum) | { readonly ok: false; readonly why: string };

/**
 * The sum of the plain file at this path, whose folder is a real path. Follows no link there or on the way there, and does not wait
 * for a pipe. `each` gets its bytes; `isSynced`: the file is on the disk before its sum is given; a file of more than `most` bytes
 * has none.
 */
export function sumFile(
  file: string,
  {
    each,
    isSynced = false,
    most = Number.POSITIVE_INFINITY,
  }: { readonly each?: (bytes: Buffer) => Promise<void>; readonly isSynced?: boolean; readonly most?: number } = {},
): Promise<Summed | undefined> {
  return withPlainFile(file, most, async (handle) => {
    if (isSynced) await handle.datasync();
    return { ok: true, ...(await sumHandle(handle, each)) } as const;
  });
}

async function sumHandle(handle: FileHandle, each?: (bytes: Buffer) => Promise<void>): Promise<FileSum> {
  const sum = createHash("sha256");
  let bytes = 0;
  for (;;) {
    const buffer = Buffer.allocUnsafe(CHUNK);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, bytes);
    if (bytesRead === 0) return { bytes, sha256: sum.digest("hex") };
    bytes += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    sum.update(chunk);
    await each?.(chunk);
  }
}
