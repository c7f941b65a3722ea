/** The part of a patch about one file: its lines, as version control wrote them. Outside text, raw. */
export interface FilePatch {
  /** The file's path after the change; undefined if it is gone, or its name is written with escapes. */
  readonly path: string | undefined;
  readonly lines: readonly string[];
}

/** A diff for a prompt, and whether it is complete. */
export interface ShownDiff {
  readonly text: string;
  readonly whole: boolean;
}

/** Fewer characters of a file's part are useless. */
const LEAST_CHARS = 300;
/** Characters of the mark at the cut of a file's part. */
const MARK_CHARS = 80;
const START = "diff --git ";
const NEW_NAME = /^\+\+\+ b\/([^\t"\\]+)\t?$/;

/** Splits a patch by file. Every line of a hunk begins with its mark, so no content is taken for the start of a file. */
export function readPatch(text: string): readonly FilePatch[] {
  const files: string[][] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith(START)) files.push([]);
    files.at(-1)?.push(line);
  }
  const last = files.at(-1);
  if (last?.at(-1) === "") last.pop();
  return files.map((lines) => {
    const head = lines.slice(
      0,
      Math.max(
        0,
        lines.findIndex((line) => line.startsWith("@@ ")),
      ),
    );
    const path = head.map((line) => NEW_NAME.exec(line)?.[1]).find((name) => name !== undefined);
    return { path, lines: withoutBytes(lines) };
  });
}

/** Unreadable bytes take no space. */
function withoutBytes(lines: readonly string[]): readonly string[] {
  const at = lines.indexOf("GIT binary patch");
  return at === -1 ? lines : [...lines.slice(0, at), "(binary file)"];
}

/**
 * The diff in about `most` characters. Every file gets its share, and short files are complete: a long first file cannot push
 * another one out. A mark stands at each cut.
 */
export function showDiff(files: readonly FilePatch[], most: number): ShownDiff {
  const count = Math.min(files.length, Math.max(1, Math.floor(most / LEAST_CHARS)));
  const texts = files.slice(0, count).map(({ lines }) => lines.join("\n"));
  const sizes = texts.map((text) => text.length);
  const all = fairShare(sizes, most);
  const share = all === Number.POSITIVE_INFINITY ? all : fairShare(sizes, Math.max(0, most - MARK_CHARS * count));
  const parts = texts.map((text) => (text.length <= share ? text : cut(text, share)));
  if (count < files.length) parts.push(`[… the diffs of ${files.length - count} more files are cut here …]`);
  return { text: parts.join("\n"), whole: count === files.length && texts.every((text) => text.length <= share) };
}

/** The maximum for each, so that all together stay within `most`. */
function fairShare(sizes: readonly number[], most: number): number {
  let left = most;
  const sorted = sizes.toSorted((a, b) => a - b);
  for (const [i, size] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - i));
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

function cut(text: string, most: number): string {
  const kept = text.slice(0, most);
  const whole = kept.slice(0, Math.max(kept.lastIndexOf("\n"), 0)) || kept;
  return `${whole}\n[… ${text.length - whole.length} characters of this file's diff are cut here …]`;
}
