import type { Attempt, PastAttempt } from "./ticket-state.ts";

/**
 * The indexes of the steps that were passed over, because the class of the ticket does not need them. An attempt that goes on after a
 * landing runs no step before it: of a step that an attempt has not passed, the attempt `before` tells.
 */
export function stepsNotNeeded(
  { passed }: Pick<Attempt, "passed">,
  before: Pick<PastAttempt, "notNeeded"> | undefined,
): readonly number[] {
  const own = passed.flatMap(({ index, notNeeded }) => (notNeeded ? [index] : []));
  const inherited = before?.notNeeded?.filter((index) => !passed.some((step) => step.index === index)) ?? [];
  return [...own, ...inherited];
}
