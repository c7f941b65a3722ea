import type { Routes } from "../batch/complexity-spec.ts";
import { askedReviewer, type ReviewerParty, reviewerParty } from "../batch/party.ts";
import type { StepSpec } from "../batch/step-spec.ts";
import { COMPLEXITIES, type Complexity } from "./classes.ts";

type Review = Extract<StepSpec, { step: "review" }>;

/**
 * A finish line with the reviews that some class asks for beyond its own. Each stands in the line of every ticket, behind the others, and
 * is passed over unless the ticket is of one of its classes when it is reached: a line does not change during a run. Of two reviews, one
 * is by each reviewer if the batch has a second one.
 */
export function lineWithReviews(
  finish: readonly StepSpec[],
  routes: Routes | undefined,
  hasSecondReviewer = false,
): readonly StepSpec[] {
  if (routes === undefined || finish.some((step) => step.step === "review" && step.classes !== undefined)) return finish;
  const own = finish.flatMap((step): ReviewerParty[] => (step.step === "review" ? [reviewerParty(step)] : []));
  const missing = ([1, 2] as const).flatMap((nth): Review[] => {
    const party = nth === 2 && hasSecondReviewer ? "secondReviewer" : "reviewer";
    const classes = COMPLEXITIES.filter((one) => lacks(own, { nth, of: routes[one].reviewers ?? 0, hasSecondReviewer }));
    return classes.length === 0 ? [] : [{ step: "review", name: freeReviewName(nth, finish), ...askedReviewer(party), classes }];
  });
  const last = finish.findLastIndex(({ step }) => step === "review");
  const at = last === -1 ? finish.findIndex(({ step }) => step === "adversary" || step === "merge") : last + 1;
  return finish.toSpliced(at, 0, ...missing);
}

/** True if a line with these reviews lacks the n-th of so many. Two of one reviewer are not two reviewers. */
function lacks(
  own: readonly ReviewerParty[],
  { nth, of, hasSecondReviewer }: { readonly nth: 1 | 2; readonly of: number; readonly hasSecondReviewer: boolean },
): boolean {
  if (of < nth) return false;
  if (of === 1 || !hasSecondReviewer) return own.length < nth;
  return !own.includes(nth === 1 ? "reviewer" : "secondReviewer");
}

/** True if a ticket of this class has the step in its finish line. One whose class nobody knows has all of them. */
export function appliesTo(step: StepSpec, is: Complexity | undefined): boolean {
  return step.step !== "review" || step.classes === undefined || is === undefined || step.classes.includes(is);
}

function freeReviewName(nth: number, finish: readonly StepSpec[]): string {
  const taken = new Set(finish.flatMap((step) => ("name" in step ? [step.name] : [])));
  let name = nth === 1 ? "first-review" : "second-review";
  while (taken.has(name)) name = `${name}-by-class`;
  return name;
}
