import { readPatch } from "../review/diff.ts";
import { isWholePatch } from "../review/shown-change.ts";
import { plainText, plural } from "../values/text.ts";

const OLD_NAME = /^--- a\/([^\t]+)/;

/** The added and removed lines of a patch by file, as `git diff --stat` counts them. A patch that was cut says so. */
export function diffStat(patch: string): string {
  const files = readPatch(patch).map(({ path, lines }) => {
    const from = lines.findIndex((line) => line.startsWith("@@ "));
    const hunks = from === -1 ? [] : lines.slice(from);
    const count = (mark: string): number => hunks.filter((line) => line.startsWith(mark)).length;
    return { path: path ?? oldName(lines), added: count("+"), removed: count("-"), isBinary: lines.at(-1) === "(binary file)" };
  });
  const total = (key: "added" | "removed"): number => files.reduce((sum, file) => sum + file[key], 0);
  const rows = files.map((file) => `${plainText(file.path)} | ${file.isBinary ? "binary" : `+${file.added} -${file.removed}`}\n`);
  const rest = isWholePatch(patch) ? "" : "the patch was cut: files or lines are missing here\n";
  return `${rows.join("")}${plural(files.length, "file")}, +${total("added")} -${total("removed")}\n${rest}`;
}

/** The name of a file that is gone, or has no lines. */
function oldName(lines: readonly string[]): string {
  const old = lines.map((line) => OLD_NAME.exec(line)?.[1]).find((name) => name !== undefined);
  return old ?? (lines[0] ?? "").slice("diff --git ".length);
}
