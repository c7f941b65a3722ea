import type { CiResult, CiResultIteration } from "../../domain/ci/ci-result.ts";
import { firstFewLine, plural } from "../../domain/values/text.ts";

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

function iterationLine(iteration: CiResultIteration): string {
  const { number, fixers, failedChecks, summary } = iteration;
  const what = didWhat(iteration);
  const by = fixers.length === 0 ? "" : ` by ${firstFewLine([...fixers], 3)}`;
  const then = failedChecks.length === 0 ? summary : `failed: ${firstFewLine([...failedChecks], 4)}`;
  return `  ${number}  ${what}${by}${then === "" ? "" : `; ${then}`}`;
}

function didWhat({ number, attempt, commit, changedFiles, outcome }: CiResultIteration): string {
  if (commit !== null) return pushed(commit, changedFiles);
  if (outcome === "stopped") return `attempt ${attempt} was stopped; it does not count`;
  return number === 0 ? "read the branch as it was" : "pushed nothing";
}

function pushed(commit: string, files: number): string {
  return `pushed ${commit.slice(0, 7)}, ${plural(files, "file")}`;
}
