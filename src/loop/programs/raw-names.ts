import type { Dir, Dirent } from "node:fs";
import { chmod, opendir } from "node:fs/promises";
import { hasErrorCode } from "../../domain/values/text.ts";

/** An entry of a folder, whose name need not be UTF-8. */
export type RawEntry = Omit<Dirent, "name"> & { readonly name: Buffer<ArrayBuffer> };

/** The entries of a folder that a command may have closed to its owner, with the bytes of their names. */
export async function* rawEntries(folder: Buffer<ArrayBuffer>): AsyncGenerator<RawEntry> {
  for await (const entry of await opened(folder)) yield entry as unknown as RawEntry;
}

/** An entry below a folder. `path` is relative to it; bytes that are not UTF-8 are replaced in it, but not in `place`. */
export interface FoundEntry {
  readonly path: string;
  readonly place: Buffer<ArrayBuffer>;
  readonly entry: RawEntry;
}

/** All entries below a folder, without following links. Folders for whose path `enters` is false are given, and not looked into. */
export async function* entriesBelow(folder: string, enters: (path: string) => boolean): AsyncGenerator<FoundEntry> {
  const top = Buffer.from(folder);
  const folders = [top];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for await (const entry of rawEntries(at)) {
      const place = below(at, entry.name);
      const path = place.subarray(top.length + 1).toString();
      if (entry.isDirectory() && enters(path)) folders.push(place);
      yield { path, place, entry };
    }
  }
}

/** The path of an entry. */
export function below(folder: Buffer<ArrayBuffer>, name: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  return Buffer.concat([folder, Buffer.from("/"), name]);
}

async function opened(folder: Buffer<ArrayBuffer>): Promise<Dir> {
  const open = () => opendir(folder, { encoding: "buffer" as BufferEncoding });
  try {
    return await open();
  } catch (error) {
    if (!hasErrorCode(error, "EACCES")) throw error;
    await chmod(folder, 0o700);
    return open();
  }
}
