import type { Hunk } from "@loopdash/test-evidence";

/** `@@ -from,lines +from,lines @@`; a count of one is left out (git-diff(1)). */
const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The hunks of a diff without context lines. Each header counts its lines, so that no line of a file can pass for a header. */
export function readHunks(diff: string): readonly Hunk[] {
  const hunks: Hunk[] = [];
  const lines = diff.split("\n");
  let path = "";
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i] ?? "";
    // A deleted file has no new name, and keeps the old one.
    const named = /^(?:---|\+\+\+) (.*)$/.exec(line)?.[1];
    if (named !== undefined && named !== "/dev/null") path = unquotePath(named);
    const header = HUNK.exec(line);
    if (header === null) continue;
    const [, removed = "1", start = "0", added = "1"] = header;
    const body = readBody(lines, i + 1, Number(removed) + Number(added));
    hunks.push({ path, line: Number(start), added: body.added, removed: body.removed });
    i = body.last;
  }
  return hunks;
}

/** The given number of changed lines from `from` on. Lines that begin otherwise are git's note about a missing line end. */
function readBody(lines: readonly string[], from: number, size: number): { added: string[]; removed: string[]; last: number } {
  const [removed, added]: [string[], string[]] = [[], []];
  let at = from;
  for (; at < lines.length && removed.length + added.length < size; at += 1) {
    const text = lines[at] ?? "";
    if (text.startsWith("-")) removed.push(text.slice(1));
    else if (text.startsWith("+")) added.push(text.slice(1));
  }
  return { added, removed, last: at - 1 };
}

const ESCAPES: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

/** The path of `a/path` or `b/path`, quoted as in C if it has unusual characters, with a tab at its end if it has a space. */
function unquotePath(named: string): string {
  const bare = named.replace(/\t$/, "");
  if (!bare.startsWith('"')) return bare.slice(2);
  const bytes = bare.slice(1, -1).replace(/\\(?:([0-7]{3})|(.))/g, (_, octal, char) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    return ESCAPES[char] ?? char;
  });
  return Buffer.from(bytes, "latin1").toString("utf8").slice(2);
}
