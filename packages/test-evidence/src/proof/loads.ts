import { basename } from "node:path/posix";

/** Matches of a name in one text that are examined, and the part of a line that is read. The text may be a worker's. */
const MAX_FOUND = 1_000;
const MAX_LINE = 300;

/** The files of these, by their texts, that seem to load one of the paths. Paths of one module are searched for once. */
export function filesLoading(texts: ReadonlyMap<string, string>, paths: readonly string[]): readonly string[] {
  const byModule = [...new Map(paths.map((path) => [importName(path), path])).values()];
  return [...texts].flatMap(([path, text]) => (byModule.some((each) => loads(text, each)) ? [path] : []));
}

/** The name by which a file is imported: its stem, or that of the folder which it stands for. */
function importName(path: string): string {
  const stem = basename(path).replace(/\..*/s, "");
  return /^(?:index|__init__|mod)$/.test(stem) ? (path.split("/").at(-2) ?? "") : stem;
}

/**
 * True if a text seems to load a file: it has the file's stem as the end of a path in quotes, or as a module after `import` or
 * `from`. A mere word of the same letters does not count.
 */
export function loads(text: string, path: string): boolean {
  const module = importName(path);
  if (module === "") return false;
  let at = text.indexOf(module);
  for (let found = 0; at >= 0 && found < MAX_FOUND; found += 1) {
    if (isLoaded(text, at, at + module.length)) return true;
    at = text.indexOf(module, at + 1);
  }
  return false;
}

function isLoaded(text: string, from: number, to: number): boolean {
  const line = text.slice(Math.max(0, from - MAX_LINE), from);
  const before = line.slice(line.lastIndexOf("\n") + 1);
  if (/["'`/]$/.test(before) && /^(?:\.\w{1,10}){0,3}["'`]/.test(text.slice(to, to + 40))) return true;
  return /^[ \t]*(?:from|import|use|mod)[ \t].*(?<!\w)$/.test(before) && !/^\w/.test(text.slice(to, to + 1));
}
