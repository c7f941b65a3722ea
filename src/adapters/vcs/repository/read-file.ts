import { GitFailure } from "../git/git-call.ts";
import { objectId } from "../git/ref-names.ts";
import type { Store } from "./store.ts";

/** The most of a file that is read; who asks wants a small one. Bytes. */
const MOST = 1_000_000;

/**
 * The text of a file as a commit has it, from the object itself: no filter, no link is followed. Undefined where the commit has
 * no such file. A longer file is read to a million bytes. Throws a GitFailure where git could not look.
 */
export async function readFileAt(store: Store, { commit, path }: { commit: string; path: string }): Promise<string | undefined> {
  const args = ["cat-file", "blob", `${objectId(commit)}:${path}`];
  const chunks: Buffer[] = [];
  let size = 0;
  const result = await store.tryContent(args, {
    onOutput: (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      return size > MOST ? "stop" : "more";
    },
  });
  if (result.stopped || result.status === 0) return Buffer.concat(chunks).toString("utf8");
  if (/does not exist|exists on disk, but not in/.test(result.stderr)) return undefined;
  throw new GitFailure(args, result);
}
