import { dirname, join } from "node:path/posix";
import { loads } from "./loads.ts";

/** A name in quotes, and whether it is that of an import, which may be a folder. */
const QUOTED = /(?<=((?:\bfrom|\bimport|\brequire)[ \t]{0,8}\(?[ \t\n]{0,8})?)(["'`])([^"'`\n]{1,400})\2/g;

/** Names without quotes, as YAML has them. */
const BARE = /(?<![\w"'`./<>-])(\.{1,2}\/[\w./-]{1,300})/g;

/** Values that name code under test, and files of which something is measured. */
const OTHER_VALUES =
  /["']?\b(?:alias|entry|input|moduleNameMapper|collectCoverageFrom|include|exclude|testMatch)["']?[ \t]{0,8}:\s{0,40}(?:\{[^{}]{0,4000}\}|\[[^\]]{0,4000}\]|[^\n]{0,400})/g;

const ENDS = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"] as const;

/** The text of settings without the values that name code under test. */
export function withoutCodeUnderTest(text: string): string {
  return text.replace(OTHER_VALUES, "");
}

/**
 * The files that a text in this folder names by a relative path or by a path as it is written. A folder counts as its index only
 * if it is imported.
 */
export function filesNamedIn(text: string, folder: string, files: ReadonlySet<string>): readonly string[] {
  const named = new Set<string>();
  const add = (name: string, isImported: boolean) => {
    const path = fileAt(name.replace(/[?#].*$/, "").replace(/^<rootDir>\//, "./"), { folder, files, isImported });
    if (path !== undefined) named.add(path);
  };
  for (const [, imports, , name = ""] of text.matchAll(QUOTED)) add(name, imports !== undefined);
  for (const [, name = ""] of text.matchAll(BARE)) add(name, false);
  return [...named];
}

function fileAt(
  name: string,
  { folder, files, isImported }: { readonly folder: string; readonly files: ReadonlySet<string>; readonly isImported: boolean },
): string | undefined {
  const path = join(folder, name);
  if (!/^\.{1,2}(?:\/|$)/.test(name)) return files.has(path) ? path : undefined;
  // TypeScript names a file by the name that it gets when it is compiled.
  const bare = path.replace(/\.([cm]?)jsx?$/, ".$1ts");
  const paths = [...ENDS.map((end) => path + end), bare, bare.replace(/ts$/, "tsx")];
  const indexes = isImported ? ENDS.slice(1).map((end) => join(path, `index${end}`)) : [];
  return [...paths, ...indexes].find((each) => files.has(each));
}

/** The texts of JavaScript files, those that are settings, and the paths that the settings name. */
export interface NamedFilesOptions {
  readonly texts: ReadonlyMap<string, string>;
  readonly settings: ReadonlySet<string>;
  readonly named: readonly string[];
}

/**
 * Files that only settings load: those that settings name, unless tests or code under test load them too, and what these load,
 * unless it loads anything else or seems to be loaded by it.
 */
export function loadedBySettingsAlone({ texts, settings, named }: NamedFilesOptions): ReadonlySet<string> {
  const files = new Set(texts.keys());
  const loadedIn = new Map([...texts].map(([path, text]) => [path, filesNamedIn(text, dirname(path), files)]));
  const own = new Set([...settings, ...named]);
  const others = () => [...texts.keys()].filter((path) => !own.has(path));
  const loadedByOthers = new Set(others().flatMap((path) => loadedIn.get(path) ?? []));
  const found = new Set(named.filter((path) => !loadedByOthers.has(path)));
  for (const path of found) {
    for (const next of loadedIn.get(path) ?? []) {
      const isAlone = (loadedIn.get(next) ?? []).every((each) => own.has(each));
      if (own.has(next) || !isAlone || others().some((each) => each !== next && loads(texts.get(each) ?? "", next))) continue;
      own.add(next);
      found.add(next);
    }
  }
  return found;
}
