import type { Complexity } from "../complexity/classes.ts";
import type { Fence, TicketId } from "../values/ids.ts";

/** The change of an attempt is harder than the class of its ticket, which rises. `why` is safe for a terminal. */
export interface ComplexityFact {
  readonly type: "complexity-changed";
  readonly ticket: TicketId;
  readonly fence: Fence;
  readonly from: Complexity;
  readonly to: Complexity;
  readonly why: string;
}
