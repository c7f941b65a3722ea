import { suppressionsIn } from "../../src/compare/suppressions.ts";

/** What is found in a line that a change adds alone. */
export function foundIn(path: string, line: string): readonly string[] {
  return suppressionsIn([{ path, line: 1, added: [line], removed: [] }]).map(({ what }) => what);
}

/** Lines of files, each below one that says "<path> holds <what>:", and two spaces to the right of it. */
export function examples(text: string): readonly (readonly [path: string, line: string, what: string])[] {
  let [path, what] = ["", ""];
  return text.split("\n").flatMap((line) => {
    const head = /^(\S+) holds (.+):$/.exec(line);
    if (head !== null) [, path = "", what = ""] = head;
    return line.startsWith("  ") ? [[path, line.slice(2), what] as const] : [];
  });
}
