import { makeRules } from "./makefile-tests.ts";

const INCLUDE = /^[ ]{0,20}[-s]?include[ \t]{1,20}([^\n#]{1,1000})/gm;
const VARIABLE = /^(?:export[ \t]{1,8})?([A-Za-z_]\w{0,80})[ \t]{0,20}[:?]?=[ \t]{0,20}([^\n#]{0,500})/gm;
/** Variables within variables that are replaced, and characters of a line with them. */
const DEPTH = 3;
const LINE_CHARS = 10_000;

/** The names of the files that a Makefile includes. One with a dollar is only known when it runs. */
export function includedBy(text: string): readonly string[] {
  const lists = [...text.matchAll(INCLUDE)].map(([, list = ""]) => expander(text)(list));
  return lists.flatMap((list) => list.split(/\s+/)).filter((name) => name !== "");
}

/** The lines that make gives to a shell for some targets and all that they depend on; for the first target if none is named. */
export function recipesFor(text: string, targets: readonly string[]): readonly string[] {
  const rules = makeRules(text);
  const expand = expander(text);
  const reached = new Set(targets.length > 0 ? targets : [...rules.keys()].slice(0, 1));
  const lines: string[] = [];
  for (const target of reached) {
    const { prerequisites = [], recipe = "" } = rules.get(target) ?? {};
    for (const next of prerequisites) reached.add(next);
    lines.push(...recipe.split("\n"));
  }
  // Make writes a dollar of the shell as two.
  const commands = lines.map((line) => expand(line.replace(/^[\s@+-]{0,20}/, "")).replaceAll("$$", "$"));
  return commands.filter((line) => line.trim() !== "");
}

/** Puts the values of variables that a Makefile sets to plain text into its lines. */
function expander(makefile: string): (line: string) => string {
  let values: Map<string, string> | undefined;
  return (line) => {
    if (!line.includes("$")) return line;
    values ??= new Map([
      ["MAKE", "make"],
      ...[...makefile.matchAll(VARIABLE)].map(([, name = "", value = ""]) => [name, value.trim()] as const),
    ]);
    const known = values;
    let text = line;
    for (let depth = 0; depth < DEPTH; depth += 1)
      text = text
        .replace(/\$[({]([A-Za-z_]\w{0,80})[)}]/g, (whole, name: string) => known.get(name) ?? whole)
        .slice(0, LINE_CHARS);
    return text;
  };
}
