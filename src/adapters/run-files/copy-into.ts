import { lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorMessage, hasErrorCode } from "../../domain/values/text.ts";
import { readUpTo, withPlainFile } from "../plain-file.ts";

/** Bytes of a copied file at most. */
const MOST_BYTES = 1024 * 1024;

/** The bytes of a plain file, never of a link's target; or the reason that there are none. */
export async function readSource(from: string): Promise<Buffer | { readonly ok: false; readonly why: string }> {
  const folder = await realpath(dirname(from)).catch(() => dirname(from));
  const read = await withPlainFile(join(folder, basename(from)), MOST_BYTES, readUpTo);
  return read ?? { ok: false, why: "there is no such file" };
}

/**
 * Copies a plain file to a path in a checkout in which nothing runs, for its owner alone, in place of a file or link there. Goes through no
 * link: a change may have made one of a folder. Gives the reason if it cannot.
 */
export async function copyInto(
  checkout: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<string | undefined> {
  try {
    const bytes = await readSource(from);
    if (!Buffer.isBuffer(bytes)) return bytes.why;
    let folder = checkout;
    for (const part of to.split("/").slice(0, -1)) {
      folder = join(folder, part);
      await mkdir(folder).catch((error: unknown) => {
        if (!hasErrorCode(error, "EEXIST")) throw error;
      });
      if (!(await lstat(folder)).isDirectory()) return `${part} is a link or a file there, not a folder`;
    }
    await rm(join(checkout, to), { force: true });
    await writeFile(join(checkout, to), bytes, { mode: 0o600, flag: "wx" });
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
