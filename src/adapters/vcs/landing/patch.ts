import { isUtf8 } from "node:buffer";
import { open } from "node:fs/promises";
import { visibleText } from "../../../domain/values/visible-text.ts";
import type { Repo } from "../../../ports/vcs.ts";
import type { Store } from "../repository/store.ts";
import { diffTree } from "./diff-tree.ts";

const PATCH = ["-p", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short"];

/**
 * Writes the change as a patch file of at most `maxBytes`. A longer one is cut at a line and says so in its last line; git is
 * ended as soon as there is enough, so a huge change costs neither memory nor time.
 */
export async function writePatch(store: Store, options: Parameters<Repo["writePatch"]>[0]): Promise<void> {
  const { from, tip, maxBytes, shown } = options;
  const { output, whole } = await diffTree(store, { from, tip, options: shown ? PATCH : [...PATCH, "--binary"] }, maxBytes);
  const patch = whole ? output : cut(output, maxBytes);
  const text = shown ? await withSizes(store, visibleText(decoded(patch))) : patch;
  const file = await open(options.file, "w", 0o600);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

function cut(patch: Buffer, maxBytes: number): Buffer {
  const mark = Buffer.from(`# cut here: the whole patch is longer than ${maxBytes} bytes\n`).subarray(0, maxBytes);
  const kept = patch.subarray(0, maxBytes - mark.length);
  return Buffer.concat([kept.subarray(0, kept.lastIndexOf(0x0a) + 1), mark]);
}

/** Bytes as text. In a line that is not UTF-8, each byte beyond ASCII is written out: `<E9>`. */
function decoded(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const hex = (byte: string) => `<${byte.charCodeAt(0).toString(16).toUpperCase()}>`;
  const lines = bytes.toString("latin1").split("\n");
  return lines
    .map((line) => [line, Buffer.from(line, "latin1")] as const)
    .map(([line, own]) => (isUtf8(own) ? own.toString() : line.replace(/[\x80-\xff]/g, hex)))
    .join("\n");
}

/** Git's words for a file that is no text, after the line with its object ids. No line of content begins like that. */
const NO_TEXT = /^(index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})[^\n]{0,20})\nBinary files [^\n]*$/gm;

/** Names what is no text with its size before and after, and the ids of its content. */
async function withSizes(store: Store, patch: string): Promise<string> {
  const ids = [...new Set([...patch.matchAll(NO_TEXT)].flatMap(([, , old = "", now = ""]) => [old, now]))];
  if (ids.length === 0) return patch;
  const answer = await store.content(["cat-file", "--batch-check"], { input: `${ids.join("\n")}\n` });
  const sizes = new Map(answer.split("\n").map((line) => [line.split(" ")[0], line.split(" ")[2]]));
  const named = (id: string) => (/^0+$/.test(id) ? "none" : `${sizes.get(id) ?? "?"} bytes, object ${id}`);
  return patch.replace(NO_TEXT, (_, index, old, now) => `${index}\n[no text; before: ${named(old)}; now: ${named(now)}]`);
}
