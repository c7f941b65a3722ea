import type { ChangedLines } from "../../../ports/vcs.ts";
import type { Store } from "../repository/store.ts";
import { diffTree } from "./diff-tree.ts";

/**
 * Changed lines only, of every file as text: no attribute of the change itself can declare a file binary or name a driver. Git
 * guesses no rename, so a moved file is seen to disappear and to appear.
 */
const LINES = [
  "-p",
  "-U0",
  "--text",
  "--no-renames",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--inter-hunk-context=0",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];

/** The limit of a diff that is read. Bytes. */
const MAX_BYTES = 48 * 1024 * 1024;

/** The lines that a change adds and removes in files with these names (shell patterns, in any case), but not in the paths `except`. */
export async function changedLines(
  store: Store,
  {
    names,
    from,
    tip,
    except = [],
  }: {
    readonly from: string;
    readonly tip: string;
    readonly names: readonly string[];
    readonly except?: readonly string[];
  },
): Promise<ChangedLines> {
  const paths = [...names.map((name) => `:(icase,glob)**/${name}`), ...except.map((path) => `:(exclude,literal)${path}`)];
  const { output, whole } = await diffTree(store, { from, tip, options: LINES, paths }, MAX_BYTES);
  return { diff: output, whole };
}
