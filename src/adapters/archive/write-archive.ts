import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { createTarPacker, type TarPackController } from "modern-tar";
import type { FileSum } from "../../ports/run-files.ts";
import { sumFile } from "../file-sum.ts";

/** An entry of an archive: a text, or a file that must still have this sum. `name` is its path in the archive. */
export type ArchiveEntry =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly file: string; readonly sum: FileSum };

/** A file changed between its check and its copy. */
class Changed extends Error {}

/**
 * Writes a .tar.gz of plain files, for this user alone; none may be at its place. Files that do not have their sum are left out, and
 * given with the reason. No owner, and nothing of this machine but contents. It is on the disk when it returns.
 */
export async function writeArchive(
  path: string,
  entries: readonly ArchiveEntry[],
  at: Date,
): Promise<readonly { readonly name: string; readonly why: string }[]> {
  const { readable, controller } = createTarPacker();
  const leftOut: { name: string; why: string }[] = [];
  const written = pipeline(
    Readable.fromWeb(readable as Parameters<typeof Readable.fromWeb>[0]),
    createGzip(),
    createWriteStream(path, { flags: "wx", mode: 0o600, flush: true }),
  );
  const packed = pack(controller, entries, { at, leave: (name, why) => leftOut.push({ name, why }) });
  packed.catch((error: unknown) => controller.error(error));
  await Promise.all([written, packed]);
  return leftOut;
}

async function pack(
  controller: TarPackController,
  entries: readonly ArchiveEntry[],
  { at, leave }: { readonly at: Date; readonly leave: (name: string, why: string) => void },
): Promise<void> {
  for (const entry of entries) {
    if ("text" in entry) {
      const bytes = Buffer.from(entry.text);
      const writer = add(controller, entry.name, bytes.length, at);
      await writer.write(bytes);
      await writer.close();
      continue;
    }
    const summed = await sumFile(entry.file);
    if (summed?.ok !== true) leave(entry.name, summed?.why ?? "it is missing");
    else if (summed.sha256 !== entry.sum.sha256) leave(entry.name, "it was changed since it was listed");
    else await copy(controller, entry, at);
  }
  controller.finalize();
}

/** Copies a file whose sum was right a moment ago, and looks again at what was copied. */
async function copy(
  controller: TarPackController,
  { name, file, sum }: Extract<ArchiveEntry, { file: string }>,
  at: Date,
): Promise<void> {
  const writer = add(controller, name, sum.bytes, at);
  const copied = await sumFile(file, { each: (bytes) => writer.write(bytes) });
  if (copied?.ok !== true || copied.sha256 !== sum.sha256) throw new Changed(`${name} changed while it was copied`);
  await writer.close();
}

function add(controller: TarPackController, name: string, size: number, mtime: Date): WritableStreamDefaultWriter<Uint8Array> {
  return controller.add({ name, size, mtime, mode: 0o600, type: "file", uid: 0, gid: 0, uname: "", gname: "" }).getWriter();
}
