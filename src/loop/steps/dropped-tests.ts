import { dirname } from "node:path";
import type { FoundRunner } from "../../domain/test-canary/find-runner.ts";
import { loads } from "../../domain/test-canary/loads.ts";
import { filesNamedIn } from "../../domain/test-canary/named-files.ts";
import type { Repo } from "../../ports/vcs.ts";

const SCRIPT = /\.[cm]?[jt]sx?$/;
const SOURCE = /\.(?:[cm]?[jt]sx?|py|go|rs)$/;

/** Files of the base that are searched for what they load. */
const MAX_FILES = 5_000;

/** A change to files of tests between two commits: those that it edits, and those that it adds. */
interface TestEdits {
  readonly base: string;
  readonly commit: string;
  readonly edited: readonly string[];
  readonly added: readonly string[];
}

/**
 * The test files that a run without edited tests leaves out. A file stays if the base's code or its untouched tests load it, or if
 * an edited file that stays does. Only the base's own texts decide about the first: the change could load its edited tests.
 */
export async function droppedTests(
  repo: Repo,
  { runner }: FoundRunner,
  edits: TestEdits,
): Promise<Pick<TestEdits, "edited" | "added">> {
  const all = (await repo.files(edits.base)).filter((path) => SOURCE.test(path)).slice(0, MAX_FILES);
  const [base, own] = await Promise.all([
    repo.readFiles({ commit: edits.base, paths: [...new Set([...edits.edited, ...all])] }),
    repo.readFiles({ commit: edits.commit, paths: [...edits.edited, ...edits.added] }),
  ]);
  const holdsTests = (path: string, text: string) => runner.append({ path, text }, { draw: () => 0, fails: "new" }) !== undefined;
  const tests = new Set(edits.edited.filter((path) => holdsTests(path, base.get(path) ?? "")));
  const stays = new Set<string>();
  let left = [...edits.edited, ...edits.added];
  const touched = new Set(left);
  for (let loaders = [...base].filter(([path]) => !touched.has(path)); loaders.length > 0; ) {
    const loaded = loadedBy(loaders, { paths: left, tests });
    // Nothing that the base has loads a new file, unless an edited one does.
    const next = left.filter((path) => loaded.has(path) && (stays.size > 0 || base.has(path)));
    for (const path of next) stays.add(path);
    left = left.filter((path) => !stays.has(path));
    loaders = next.map((path) => [path, own.get(path) ?? ""]);
  }
  return { edited: edits.edited.filter((path) => !stays.has(path)), added: edits.added.filter((path) => !stays.has(path)) };
}

/** Those of these paths that a text loads. A script with tests must be named by its path: its stem may be that of its subject. */
function loadedBy(
  texts: readonly (readonly [path: string, text: string])[],
  { paths, tests }: { readonly paths: readonly string[]; readonly tests: ReadonlySet<string> },
): ReadonlySet<string> {
  const named = new Set(paths.filter((path) => tests.has(path) && SCRIPT.test(path)));
  const others = paths.filter((path) => !named.has(path));
  const loaded = new Set<string>();
  for (const [from, text] of texts) {
    for (const path of filesNamedIn(text, dirname(from), named)) loaded.add(path);
    for (const path of others) if (loads(text, path)) loaded.add(path);
  }
  return loaded;
}
