import type { CiResult, CiResultIteration } from "../../domain/ci/ci-result.ts";
import { firstFewLine } from "../../domain/values/first-few.ts";
import { plural } from "../../domain/values/plural.ts";

/** Iterations as people read them, after the run's own summary. */
export function resultLines(result: CiResult): readonly string[] {
  const { branch, stopReason, summary, headSha, iterations, links, suggestions } = result;
  return [
    `ci of ${branch}: ${stopReason}, ${summary}`,
    ...iterations.map(iterationLine),
    ...(headSha === null ? [] : [`  the last commit whose checks were read: ${headSha.slice(0, 12)}`]),
    ...(links.pullRequest === null ? [] : [`  ${links.pullRequest}`]),
    ...suggestions.map((each) => `  ${each}`),
  ];
}

function iterationLine({ number, commit, changedFiles, fixers, failedChecks, summary }: CiResultIteration): string {
  const what = number === 0 ? "read the branch as it was" : commit === null ? "pushed nothing" : pushed(commit, changedFiles);
  const by = fixers.length === 0 ? "" : ` by ${firstFewLine([...fixers], 3)}`;
  const then = failedChecks.length === 0 ? summary : `failed: ${firstFewLine([...failedChecks], 4)}`;
  return `  ${number}  ${what}${by}${then === "" ? "" : `; ${then}`}`;
}

function pushed(commit: string, files: number): string {
  return `pushed ${commit.slice(0, 7)}, ${plural(files, "file")}`;
}
