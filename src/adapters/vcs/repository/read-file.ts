import { GitFailure } from "../git/git-call.ts";
import { objectId } from "../git/ref-names.ts";
import { readFilesAt } from "../landing/derived-commit.ts";
import type { Store } from "./store.ts";

/** The limit of what is read of a file; callers want small files. Bytes. */
const MOST = 1_000_000;

/**
 * The text of a file in a commit, from the object itself: no filter runs and no link is followed. Undefined if the commit has no
 * such file. A longer file is read up to a million bytes. Throws a GitFailure if git fails.
 */
export async function readFileAt(store: Store, { commit, path }: { commit: string; path: string }): Promise<string | undefined> {
  // A session reads all but paths that do not fit on a line.
  if (!path.includes("\n")) return (await readFilesAt(store, { commit, paths: [path] })).get(path)?.slice(0, MOST);
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
  const listed = await store.content(["--literal-pathspecs", "ls-tree", "-z", "--full-tree", objectId(commit), "--", path]);
  if (listed === "") return undefined;
  throw new GitFailure(args, result);
}
