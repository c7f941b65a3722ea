import type { Fence, TicketId } from "../values/ids.ts";

/** Tests that fail on the base of a ticket's candidate and that its `fixes` do not name. They do not count. */
export interface FailingOnBase {
  /** The check that measured it. */
  readonly check: string;
  readonly count: number;
  /** The first of them, at most 20; safe for a terminal. */
  readonly tests: readonly string[];
}

/** Reported once the base is measured, and again only if it has changed. */
export interface BaseFact extends FailingOnBase {
  readonly type: "base-failing";
  readonly ticket: TicketId;
  readonly fence: Fence;
}

/** Adds one measurement to a ticket's failing base tests, by check. */
export function withFailingOnBase(
  known: readonly FailingOnBase[] | undefined,
  { check, count, tests }: FailingOnBase,
): readonly FailingOnBase[] {
  const others = (known ?? []).filter((each) => each.check !== check);
  return count === 0 ? others : [...others, { check, count, tests }];
}
