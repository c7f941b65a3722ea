import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { oracleSha } from "./oracle-batch.ts";

/** A file that held the frozen bytes, and its stamp: other bytes, or another file in its place, have another stamp. */
export interface FrozenFile {
  readonly path: string;
  readonly stamp: string;
}

/** Writes a private copy. Throws if its content is then not the frozen one. */
export async function placeFrozen(path: string, bytes: Uint8Array, mode = 0o400): Promise<FrozenFile> {
  await writeFile(path, bytes, { flag: "wx", mode });
  const stamp = await readFileStamp(path);
  if (oracleSha(await readFile(path)) !== oracleSha(bytes)) throw new Error(`${JSON.stringify(path)} ${NOT_FROZEN}`);
  return { path, stamp };
}

/** Finds a file that stays in place. Throws if it is not the frozen one. */
export async function findFrozen(path: string, sha: string): Promise<FrozenFile> {
  const stamp = await readFileStamp(path);
  if ((await fileSha(path)) !== sha) throw new Error(`${JSON.stringify(path)} ${NOT_FROZEN}`);
  return { path, stamp };
}

/**
 * Throws if one of the files has another stamp than before. Between a check and a start by name, another file can take its place:
 * it may have given the verdict of the meantime.
 */
export async function refuseChanged(files: readonly FrozenFile[]): Promise<void> {
  for (const { path, stamp } of files) {
    // A file that is gone or cannot be read has changed as well.
    const now = await readFileStamp(path).catch(() => undefined);
    if (now !== stamp) throw new Error(`${JSON.stringify(path)} was changed while it judged: it ${NOT_FROZEN}`);
  }
}

const NOT_FROZEN = "is not what was frozen";

/** The hashes so far, by path: an interpreter may have 100 MB, and only a rewritten file has another stamp. */
const hashed = new Map<string, { readonly stamp: string; readonly sha: string }>();

/** sha256 of a file, in hexadecimal. */
export async function fileSha(path: string): Promise<string> {
  const stamp = await readFileStamp(path);
  const known = hashed.get(path);
  if (known?.stamp === stamp) return known.sha;
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const sha = hash.digest("hex");
  hashed.set(path, { stamp, sha });
  return sha;
}

async function readFileStamp(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}
