/** The part of a patch that is about one file: its lines, as version control wrote them. Outside text, raw. */
export interface FilePatch {
  /** The file's path after the change; undefined where it is gone, or its name is written with escapes. */
  readonly path: string | undefined;
  readonly lines: readonly string[];
}

/** A diff as it is shown, and whether that is all of it. */
export interface ShownDiff {
  readonly text: string;
  readonly whole: boolean;
}

/** Fewer characters of a file's part tell nothing. */
const LEAST_CHARS = 300;
/** Characters of the mark where a file's part is cut. */
const MARK_CHARS = 80;
const START = "diff --git ";
const NEW_NAME = /^\+\+\+ b\/([^\t"\\]+)\t?$/;

/** Takes a patch apart. Within a hunk every line begins with its mark, so no content is taken for the start of a file. */
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

/** Bytes that nobody can read take no room. */
function withoutBytes(lines: readonly string[]): readonly string[] {
  const at = lines.indexOf("GIT binary patch");
  return at === -1 ? lines : [...lines.slice(0, at), "(binary file)"];
}

/**
 * The diff in at most about `most` characters. Every file gets its share, the short ones all of theirs: a long file in front
 * cannot push another out of sight. What is cut says so, in its place.
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

/** The most that each may take so that all together stay within `most`. */
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
