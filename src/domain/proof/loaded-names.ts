import { familyOf } from "../evidence/languages.ts";

/** What a file names: modules that it imports, and files and folders that its texts in quotes may be. */
export interface LoadedNames {
  /** Specifiers of imports that are no paths: packages, aliases. */
  readonly imports: ReadonlySet<string>;
  /** Texts in quotes that may be paths. One that ends with "/" may be a folder whose files are chosen while the code runs. */
  readonly quoted: ReadonlySet<string>;
  /** Python modules in dots; leading dots are those of a relative import. */
  readonly modules: ReadonlySet<string>;
}

/** Names that are read from one text: the text may be a worker's. */
const MOST = 20_000;

/** A text between quotes without blanks. The quotes need not belong together: a lone apostrophe hides nothing. */
const QUOTED = /(?<=["'`])[^"'`\s]{1,300}(?=["'`])/g;
const IMPORTS = /(?:\bfrom|\bimport|\brequire|\bresolve|\bmock|\bimportActual|\brequireActual)\s{0,8}\(?\s{0,8}["'`]$/;

/** `from .a.b import c, d` and `import a.b, c`; the list may stand in parentheses over several lines. */
const PYTHON =
  /^[ \t]{0,100}(?:from[ \t]{1,20}(\.{0,10}[\p{L}\w.]{0,200})[ \t]{1,20}import[ \t]{0,20}(\([^)]{0,4000}\)|[^\n(]{0,1000})|import[ \t]{1,20}([^\n]{1,1000}))/gmu;

/** The names in a file's text. Bounded, and in time linear to its length. */
export function loadedNames(path: string, text: string): LoadedNames {
  const names = { imports: new Set<string>(), quoted: new Set<string>(), modules: new Set<string>() };
  const isPython = familyOf(path) === "python";
  for (const { 0: whole, index } of text.matchAll(QUOTED)) {
    if (names.quoted.size > MOST) break;
    const head = whole.split("${")[0] ?? "";
    const name = head.replace(/[?#].*/s, "").replace(/^file:\/\//, "");
    if (name === "") continue;
    names.quoted.add(head === whole ? name : name.replace(/(?<![^/])[^/]*$/, ""));
    if (isPython) addModule(names.modules, name);
    else if (isImported(text, index, name)) names.imports.add(name);
  }
  return isPython ? { ...names, modules: new Set([...names.modules, ...importedModules(text)]) } : names;
}

function isImported(text: string, at: number, name: string): boolean {
  return !/^[./]/.test(name) && IMPORTS.test(text.slice(Math.max(0, at - 40), at));
}

/** A module in quotes, perhaps with a name in it: `package.module:name`. */
function addModule(modules: Set<string>, name: string): void {
  if (/^[\p{L}\w.]+(?::\w*)?$/u.test(name)) modules.add(name.replace(/:.*/s, ""));
}

function* importedModules(text: string): Generator<string> {
  let n = 0;
  for (const [, from, names = "", list = ""] of text.matchAll(PYTHON)) {
    if (++n > MOST) return;
    const listed = (from === undefined ? list : names.replace(/[()]/g, "")).split(/[,;]/).map(firstWord);
    if (from === undefined) yield* listed;
    else yield* [from, ...listed.map((name) => `${from}${from.endsWith(".") ? "" : "."}${name}`)];
  }
}

function firstWord(text: string): string {
  return /^[\p{L}\w.]*/u.exec(text.replace(/^[\s\\]+/, ""))?.[0] ?? "";
}
