import { casesGone, mayHoldTests, testCasesIn } from "@loopdash/test-evidence";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import type { Change, Repo } from "../../ports/vcs.ts";

/**
 * True if a failed check names what a change touches: one of its paths, also as a module ("app/test_a.py" as "app.test_a"), or a test that
 * the change no longer declares. The code under test may choose these words, so they only say which change of a train is checked alone.
 */
export async function isNamedBy(
  repo: Pick<Repo, "baseTip" | "readFiles">,
  { paths, tip }: Change,
  evidence: Evidence | undefined,
): Promise<boolean> {
  if (evidence === undefined) return false;
  const { summary, firstError = "", tests = [] } = evidence;
  const said = [summary, firstError, ...tests].join("\n");
  const names = paths.map(({ path }) => path);
  if (names.some((path) => said.includes(path) || said.includes(moduleName(path)))) return true;
  const files = names.filter(mayHoldTests);
  if (files.length === 0) return false;
  const [before, after] = await Promise.all([
    repo.readFiles({ commit: await repo.baseTip(), paths: files }),
    repo.readFiles({ commit: tip, paths: files }),
  ]);
  const casesIn = (texts: ReadonlyMap<string, string>) => [...texts].flatMap(([path, text]) => testCasesIn(path, text));
  return casesGone(casesIn(before), casesIn(after)).some((name) => said.includes(name));
}

function moduleName(path: string): string {
  return path.replace(/\.[^./]*$/, "").replaceAll("/", ".");
}
