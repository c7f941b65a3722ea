import { extname } from "node:path/posix";
import type { TestResult } from "./results.ts";
import { isTestPath } from "./sealed-paths.ts";

/** Paths of files that a change deletes and adds. */
export interface FilesMoved {
  readonly deleted: readonly string[];
  readonly added: readonly string[];
}

/** Deleted or added files of a change. With more of either, no test gets a former name. */
const MOST_FILES = 100;

/**
 * Gives the tests of renamed files their former names. Runners name a test by its file, so a renamed file has other tests to them. A
 * test gets a former name if three things hold: the base does not have the test, the change deletes one file of tests and adds another
 * with the same ending, and the id with the deleted file's name in it belongs to a test of the base that the candidate does not have.
 * Whoever judges a candidate's results must judge the renamed ones: a test with its former name must pass as the base has it.
 * So both paths must be test paths: others count as code under test, and nothing would hold their tests to what the base has.
 */
export function withFormerNames(
  before: readonly TestResult[],
  now: readonly TestResult[],
  files: FilesMoved,
): readonly TestResult[] {
  const formerFiles = formerNames(files);
  if (formerFiles.size === 0) return now;
  const longest = Math.max(...[...formerFiles.keys()].map((name) => name.length));
  const [old, own] = [before, now].map((tests) => new Set(tests.map(({ id }) => id)));
  const isGone = (id: string) => old?.has(id) === true && own?.has(id) === false;
  return now.map((test) => {
    const former = old?.has(test.id) ? undefined : formerIds(test.id, formerFiles, longest).find(isGone);
    return former === undefined ? test : { ...test, id: former };
  });
}

/** Maps each name that an id may have for an added file to those for deleted files: paths, and modules with dots (pytest). */
function formerNames({ deleted, added }: FilesMoved): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  if (deleted.length > MOST_FILES || added.length > MOST_FILES) return names;
  for (const now of added.filter(isTestPath))
    for (const former of deleted.filter((path) => isTestPath(path) && extname(path) === extname(now)))
      for (const [to, from] of sharedSuffixes(now, former))
        for (const form of [(path: string) => path, moduleName])
          names.set(form(to), [...(names.get(form(to)) ?? []), form(from)]);
  return names;
}

/** Both paths as they are from the root and from each folder that both lie in: a runner may have started there. */
function sharedSuffixes(a: string, b: string): readonly (readonly [string, string])[] {
  const [first, second] = [a.split("/"), b.split("/")];
  const shared = first.findIndex((name, at) => at === first.length - 1 || name !== second[at]);
  return Array.from({ length: shared + 1 }, (_, at) => [first.slice(at).join("/"), second.slice(at).join("/")] as const);
}

function moduleName(path: string): string {
  return path.slice(0, path.length - extname(path).length).replaceAll("/", ".");
}

/** Replaces the name of an added file by that of a deleted one in each part of an id. Names of classes may follow that of a module. */
function formerIds(id: string, formerFiles: ReadonlyMap<string, readonly string[]>, longest: number): readonly string[] {
  const parts = id.split(" > ");
  const heads = parts.flatMap((part) => {
    const start = part.slice(0, longest + 1);
    return [part, ...[...start.matchAll(/\./g)].map(({ index }) => start.slice(0, index))];
  });
  const isNamed = (part: string, head: string) => part === head || part.startsWith(`${head}.`);
  return [...new Set(heads)].flatMap((head) =>
    (formerFiles.get(head) ?? []).map((former) =>
      parts.map((part) => (isNamed(part, head) ? former + part.slice(head.length) : part)).join(" > "),
    ),
  );
}
