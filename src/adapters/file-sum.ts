import { createHash } from "node:crypto";
import { type FileHandle, realpath } from "node:fs/promises";
import { errorCode } from "../domain/values/error-text.ts";
import type { FileSum } from "../ports/run-files.ts";
import { openNoLink } from "./plain-file.ts";

const CHUNK = 256 * 1024;

/** The sum of a plain file, or the reason that it has none; undefined if there is no such file. */
export type Summed = ({ readonly ok: true } & FileSum) | { readonly ok: false; readonly why: string };

/**
 * The sum of the plain file at this path, whose folder is a real path. Follows no link there or on the way there, and does not wait
 * for a pipe. `each` gets its bytes; `isSynced`: the file is on the disk before its sum is given; a file of more than `most` bytes
 * has none.
 */
export async function sumFile(
  file: string,
  {
    each,
    isSynced = false,
    most = Number.POSITIVE_INFINITY,
  }: { readonly each?: (bytes: Buffer) => Promise<void>; readonly isSynced?: boolean; readonly most?: number } = {},
): Promise<Summed | undefined> {
  try {
    const handle = await openNoLink(file);
    try {
      const found = await handle.stat();
      if (!found.isFile()) return { ok: false, why: "it is not a plain file" };
      if (found.size > most) return { ok: false, why: `it is larger than ${most} bytes` };
      if ((await realpath(file)) !== file) return { ok: false, why: "a link leads to it" };
      if (isSynced) await handle.datasync();
      return { ok: true, ...(await sumOf(handle, each)) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    return { ok: false, why: code === "ELOOP" ? "it is a link" : `it cannot be read (${code})` };
  }
}

async function sumOf(handle: FileHandle, each?: (bytes: Buffer) => Promise<void>): Promise<FileSum> {
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
