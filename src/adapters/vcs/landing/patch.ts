import { open } from "node:fs/promises";
import type { Store } from "../repository/store.ts";
import { diffTree } from "./diff-tree.ts";

const PATCH = ["-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];

/**
 * Writes the change as a patch file of at most `maxBytes`. A longer one is cut at a line and says so in its last line; git is
 * ended as soon as there is enough, so a huge change costs neither memory nor time.
 */
export async function writePatch(
  store: Store,
  options: { readonly from: string; readonly tip: string; readonly file: string; readonly maxBytes: number },
): Promise<void> {
  const { from, tip, maxBytes } = options;
  const { output, whole } = await diffTree(store, { from, tip, options: PATCH }, maxBytes);
  const file = await open(options.file, "w", 0o600);
  try {
    await file.writeFile(whole ? output : cut(output, maxBytes));
  } finally {
    await file.close();
  }
}

function cut(patch: Buffer, maxBytes: number): Buffer {
  const mark = Buffer.from(`# cut here: the whole patch is longer than ${maxBytes} bytes\n`).subarray(0, maxBytes);
  const kept = patch.subarray(0, maxBytes - mark.length);
  return Buffer.concat([kept.subarray(0, kept.lastIndexOf(0x0a) + 1), mark]);
}
