import { createHash } from "node:crypto";
import { lstat, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectFormat } from "../repository/git-dir.ts";

const HEADER_BYTES = 12;
const EXTENDED = 0x4000;
const UINT32 = 0xff_ff_ff_ffn;
const NANOSECONDS = 1_000_000_000n;

/**
 * Notes the present times and sizes of files in an index of version 2 or 3 that loopdash wrote (gitformat-index(5)): git then takes these
 * files for unchanged, although their content is not what the index says.
 */
export async function noteStats(
  index: string,
  { folder, paths, format }: { readonly folder: string; readonly paths: readonly string[]; readonly format: ObjectFormat },
): Promise<void> {
  const bytes = await readFile(index);
  const idBytes = format === "sha1" ? 20 : 32;
  const wanted = new Set(paths);
  let at = HEADER_BYTES;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flags = at + 40 + idBytes;
    const nameAt = flags + ((bytes.readUInt16BE(flags) & EXTENDED) === 0 ? 2 : 4);
    const end = bytes.indexOf(0, nameAt);
    const name = bytes.toString("utf8", nameAt, end);
    if (wanted.has(name)) {
      const { ctimeNs, mtimeNs, dev, ino, uid, gid, size } = await lstat(join(folder, name), { bigint: true });
      const times = [ctimeNs, mtimeNs].flatMap((ns) => [ns / NANOSECONDS, ns % NANOSECONDS]);
      // The mode at the seventh place stays.
      for (const [i, value] of [...times, dev, ino].entries()) bytes.writeUInt32BE(Number(value & UINT32), at + 4 * i);
      for (const [i, value] of [uid, gid, size].entries()) bytes.writeUInt32BE(Number(value & UINT32), at + 28 + 4 * i);
    }
    // An entry ends with one to eight zero bytes, at a multiple of eight.
    at += (end - at + 8) & ~7;
  }
  const content = bytes.subarray(0, -idBytes);
  await writeFile(index, Buffer.concat([content, createHash(format).update(content).digest()]));
}
