import { objectId } from "../git/ref-names.ts";
import type { Store } from "./store.ts";

/** The paths of all files, links and submodules of a commit, raw and relative to its top. */
export async function trackedFiles(store: Store, commit: string): Promise<readonly string[]> {
  const listed = await store.content(["ls-tree", "-r", "-z", "--name-only", "--full-tree", objectId(commit)]);
  return listed.split("\0").filter((path) => path !== "");
}
