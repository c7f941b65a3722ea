/** A folder's entries: how many, and the folders among them. */
export interface CountedTree {
  readonly entries: number;
  readonly folders: readonly string[];
}

/** Reads the output of `cat-file --batch` for trees: `id type size`, a line end, the bytes, a line end (git-cat-file(1)). */
export function readTrees(output: Buffer, idBytes: number): ReadonlyMap<string, CountedTree> {
  const found = new Map<string, CountedTree>();
  for (let at = 0; at < output.length; ) {
    const lineEnd = output.indexOf(0x0a, at);
    const [id = "", type, size = ""] = output.toString("latin1", at, lineEnd).split(" ");
    if (type === "missing") {
      at = lineEnd + 1;
      continue;
    }
    const end = lineEnd + 1 + Number(size);
    if (lineEnd < 0 || !(end < output.length)) throw new Error("its folders cannot be read");
    found.set(id, readTree(output.subarray(lineEnd + 1, end), idBytes));
    at = end + 1;
  }
  return found;
}

/** Entries are `mode SP name NUL id`, the id in binary. */
function readTree(bytes: Buffer, idBytes: number): CountedTree {
  const folders: string[] = [];
  let entries = 0;
  for (let at = 0; at < bytes.length; entries += 1) {
    const nameEnd = bytes.indexOf(0, at);
    if (nameEnd < 0) break;
    const next = nameEnd + 1 + idBytes;
    // A mode may be written with a leading zero.
    if (/^0?40000 /.test(bytes.toString("latin1", at, at + 7))) folders.push(bytes.toString("hex", nameEnd + 1, next));
    at = next;
  }
  return { entries, folders };
}

/**
 * The largest number of files and folders that one of these trees stands for, counted once per occurrence; undefined if that is
 * more than `most`. `known` are counts of folders that are not among them.
 */
export function countLargestTree(
  trees: ReadonlyMap<string, CountedTree>,
  known: ReadonlyMap<string, number>,
  most: number,
): number | undefined {
  const counts = new Map(known);
  let largest = 0;
  for (const id of inOrder(trees, known)) {
    const { entries, folders } = trees.get(id) ?? { entries: 0, folders: [] };
    const sum = folders.reduce((total, each) => total + (counts.get(each) ?? 0), entries);
    if (sum > most) return undefined;
    counts.set(id, sum);
    largest = Math.max(largest, sum);
  }
  return largest;
}

/** Yields each folder after its subfolders. An object cannot contain itself: its id is the hash of its content. */
function* inOrder(trees: ReadonlyMap<string, CountedTree>, known: ReadonlyMap<string, number>): Generator<string> {
  const done = new Set(known.keys());
  const begun = new Set<string>();
  for (const root of trees.keys()) {
    const open = [root];
    for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
      const first = !begun.has(id);
      begun.add(id);
      const inner = first ? (trees.get(id)?.folders ?? []).filter((each) => !begun.has(each) && !done.has(each)) : [];
      if (inner.length > 0) {
        open.push(...inner);
        continue;
      }
      open.pop();
      if (!done.has(id)) yield id;
      done.add(id);
    }
  }
}
