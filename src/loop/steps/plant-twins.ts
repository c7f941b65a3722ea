import { randomInt } from "node:crypto";
import type { FoundRunner } from "../../domain/proof/find-runner.ts";
import { filesLoading } from "../../domain/proof/loads.ts";
import { testFilesOf } from "../../domain/proof/test-files.ts";
import type { Draw, TwinnedFile } from "../../domain/proof/twin.ts";
import { twinsFor } from "../../domain/proof/twins/twins-for.ts";

/** Test files that are read, those that get twins, and twins of one. */
const MOST_READ = 1_000;
const MOST_FILES = 40;
const MOST_TWINS = 3;
/** Changed paths that are searched for in test files. */
const MOST_CHANGED = 200;
/** The longest test file that gets twins. Characters. */
const MOST_CHARS = 500_000;

const draw: Draw = (n) => (n <= 1 ? 0 : randomInt(n));

/** Where twins may be planted. */
export interface Planting {
  readonly found: FoundRunner;
  /** The paths of the tree's files that may get some. */
  readonly paths: readonly string[];
  /** The changed code: tests that load it come first. */
  readonly code: readonly string[];
  readonly isPassing: (name: string) => boolean;
  readonly read: (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Files of a tree with twins of passing tests in them. A command that stops at the first failure gets one twin. */
export async function plantTwins({ found, paths, code, isPassing, read }: Planting): Promise<readonly TwinnedFile[]> {
  const { runner, words } = found;
  const candidates = shuffled(testFilesOf(found, paths)).slice(0, MOST_READ);
  const texts = [...(await read(candidates))].filter(([, text]) => text.length <= MOST_CHARS);
  const changed = code.slice(0, MOST_CHANGED);
  const loading = new Set(filesLoading(new Map(texts), changed));
  const rank = (path: string) => (loading.has(path) ? 0 : 1);
  const isOne = runner.stopsEarly(words);
  const twinned: TwinnedFile[] = [];
  for (const [path, text] of texts.toSorted(([a], [b]) => rank(a) - rank(b))) {
    if (twinned.length >= (isOne ? 1 : MOST_FILES)) break;
    const file = twinsFor(runner.name, { path, text }, { draw, isPassing, most: isOne ? 1 : MOST_TWINS });
    if (file !== undefined) twinned.push(file);
  }
  return twinned;
}

function shuffled<T>(list: readonly T[]): readonly T[] {
  const byChance = list.map((each) => ({ each, chance: randomInt(2 ** 30) }));
  return byChance.toSorted((a, b) => a.chance - b.chance).map(({ each }) => each);
}
