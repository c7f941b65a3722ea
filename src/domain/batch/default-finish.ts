import { lineWithLaws } from "../bound/law-steps.ts";
import { lineWithReviews } from "../complexity/review-steps.ts";
import type { Batch, BatchFile } from "./schema.ts";
import { DEFAULT_FINISH, FOUND_REPORT, type StepSpec } from "./step-spec.ts";

/** The name of the check that a finish line has by default, wherever a repository names a test command. */
export const DEFAULT_CHECK = "tests";

/** The default finish line of a batch without the check of a repository's own tests. A batch with a reviewer is reviewed. */
export function defaultFinish({ reviewer }: Pick<BatchFile, "reviewer">): readonly StepSpec[] {
  if (reviewer === undefined) return DEFAULT_FINISH;
  return DEFAULT_FINISH.flatMap((step): StepSpec[] =>
    step.step === "merge" ? [{ step: "review", name: "review" }, step] : [step],
  );
}

/**
 * The finish line of a ticket without its own: the batch's, or by default gates, the repository's own tests, review, merge and
 * assert; the reviews of classes; and the iron laws of its repository.
 */
export function defaultFinishLine(
  {
    bounds = {},
    complexity,
    secondReviewer,
    ...batch
  }: Pick<Batch, "finish" | "testCommands" | "bounds" | "complexity" | "secondReviewer">,
  repo: string,
): readonly StepSpec[] {
  const line = lineWithReviews(withTests(batch, repo), complexity, secondReviewer !== undefined);
  return lineWithLaws(line, Object.hasOwn(bounds, repo) ? bounds[repo] : undefined);
}

function withTests(
  { finish = DEFAULT_FINISH, testCommands = {} }: Pick<Batch, "finish" | "testCommands">,
  repo: string,
): readonly StepSpec[] {
  const command = Object.hasOwn(testCommands, repo) ? testCommands[repo] : undefined;
  if (command === undefined) return finish;
  const at = finish.findIndex(({ step }) => step === "review" || step === "merge");
  return finish.toSpliced(at, 0, { step: "check", name: DEFAULT_CHECK, command, report: FOUND_REPORT });
}
