import { plainText } from "../values/text.ts";

/** A path of a change, which may be a submodule that moves to another commit. */
interface MaybeMoved {
  readonly path: string;
  readonly moved?: { readonly from: string; readonly to: string };
}

/** Digits of a commit that people see. */
const SHOWN = 7;

/** The submodules that a change moves, in words: `submodule lib: 1234abc → 5678def`. */
export function movedSubmodules(paths: readonly MaybeMoved[]): readonly string[] {
  return paths.flatMap(({ path, moved }) =>
    moved === undefined ? [] : [`submodule ${plainText(path, 200)}: ${moved.from.slice(0, SHOWN)} → ${moved.to.slice(0, SHOWN)}`],
  );
}

/** The note on changes that a worker has made inside submodules. Empty if there are none. */
export function describeSubmoduleEdits({ submoduleEdits = [] }: { readonly submoduleEdits?: readonly string[] }): string {
  if (submoduleEdits.length === 0) return "";
  const where = submoduleEdits.map((path) => plainText(path, 200)).join(", ");
  return `changes inside submodule ${where} are not landed; they are kept there on the branch of this ticket`;
}
