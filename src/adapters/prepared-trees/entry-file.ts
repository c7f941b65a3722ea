import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { hasErrorCode } from "../../domain/values/text.ts";

/** The format of entries. Entries of another format are not used, and go when room is needed. */
export const FORMAT = 1;

/** A path within a checkout: relative, without ways up. */
const inside = z
  .string()
  .refine((path) => path !== "" && !path.split("/").some((part) => ["", ".", "..", ".git"].includes(part)));

const Entry = z.strictObject({
  format: z.literal(FORMAT),
  repo: z.string(),
  key: z.string(),
  name: z.string(),
  tree: z.string(),
  roots: z.array(inside).readonly(),
  removed: z.array(inside).readonly(),
  changesCommitted: z.boolean(),
  files: z.number(),
  bytes: z.number(),
  madeAt: z.number(),
  ms: z.number(),
  /** The identity of the tree; see treeIdentity. */
  identity: z.string(),
});
/** The description of an entry, as it lies beside its files. */
export type Entry = z.infer<typeof Entry>;

/** Reads the description in an entry's folder; undefined if it is missing or not valid. */
export async function readEntry(folder: string): Promise<{ entry: Entry; usedAt: number } | undefined> {
  const file = join(folder, "entry.json");
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(file, "utf8"), stat(file)]);
    const read = Entry.safeParse(JSON.parse(text));
    return read.success ? { entry: read.data, usedAt: mtimeMs } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}
