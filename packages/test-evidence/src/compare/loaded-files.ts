import { type Tallies, total } from "./results.ts";

/**
 * Entries for files that a runner could not load on the base, and now can: the entry is gone, and tests of the file stand in its
 * place. Node's TAP does not name the file of a test, so the file must exist and any test be new.
 */
export function filesThatLoad(before: Tallies, now: Tallies, deleted: readonly string[]): ReadonlySet<string> {
  const gone = [...before].flatMap(([id, tally]) => {
    const file = tally.failed === total(tally) && !now.has(id) ? entryFile(id) : undefined;
    return file === undefined ? [] : [{ id, ...file }];
  });
  if (gone.length === 0) return new Set();
  const added = [...now.keys()].filter((id) => !before.has(id));
  const parents = new Set(added.flatMap(idPrefixes));
  const namesFiles = [...parents].some((parent) => entryFile(parent) !== undefined);
  const loads = gone.filter(({ prefix, path }) => {
    const isThere = !deleted.some((each) => each === path || each.endsWith(`/${path}`));
    return isThere && (namesFiles ? parents.has(prefix) : added.length > 0);
  });
  return new Set(loads.map(({ id }) => id));
}

const SCRIPT = /^[^\s>]+\.[cm]?[jt]sx?$/;

/**
 * The file of an entry, and the prefix of its tests' ids; undefined if the entry is a test. Vitest, jest and node's TAP give the
 * path alone, node's JUnit report has it first and last, and pytest's has the module below the suite.
 */
export function entryFile(id: string): { readonly path: string; readonly prefix: string } | undefined {
  const names = id.split(" > ");
  const [first = "", second = ""] = names;
  if (SCRIPT.test(first) && (names.length === 1 || names.at(-1) === first)) return { path: first, prefix: first };
  if (first === "pytest" && names.length === 2) return { path: `${second.replaceAll(".", "/")}.py`, prefix: id };
  return undefined;
}

/** Levels of an id that are compared. */
const MAX_LEVELS = 20;

/** The prefixes of an id, at each of its levels. Pytest puts a class behind its module with a dot. */
function idPrefixes(id: string): readonly string[] {
  const names = id.split(" > ", MAX_LEVELS).slice(0, -1);
  const parents = names.map((_, i) => names.slice(0, i + 1).join(" > "));
  return parents.flatMap((parent) => (parent.startsWith("pytest > ") ? [parent, parent.replace(/\.\w+$/, "")] : [parent]));
}
