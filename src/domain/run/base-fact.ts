import type { Fence, TicketId } from "../values/ids.ts";

/** Tests that fail on the base of a ticket's candidate and that the ticket does not name in `fixes`: they do not count. */
export interface FailingOnBase {
  /** The check that measured it. */
  readonly check: string;
  readonly count: number;
  /** The first of them, at most 20; safe for a terminal. */
  readonly tests: readonly string[];
}

/** Told once the base is measured, and again only if it has changed. */
export interface BaseFact extends FailingOnBase {
  readonly type: "base-failing";
  readonly ticket: TicketId;
  readonly fence: Fence;
}

/** What is known of a ticket's bases, by check, with one more measurement. */
export function withFailingOnBase(
  known: readonly FailingOnBase[] | undefined,
  { check, count, tests }: FailingOnBase,
): readonly FailingOnBase[] {
  const others = (known ?? []).filter((each) => each.check !== check);
  return count === 0 ? others : [...others, { check, count, tests }];
}
