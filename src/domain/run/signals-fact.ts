import { GATES, type GateName, type Signals } from "../behaviour/signals.ts";
import type { Fence, TicketId } from "../values/ids.ts";

/** The signals of an attempt's behaviour have changed. Reported at most once a second, and a bounded number of times. */
export interface SignalsFact {
  readonly type: "signals-changed";
  readonly ticket: TicketId;
  readonly fence: Fence;
  readonly signals: Signals;
  /** The gates that have become a warning or a failure since the last report; absent if none has. */
  readonly risen?: readonly GateName[];
}

/** The part of an attempt that has its signals; absent while nothing is known. */
export interface SignalsResult {
  readonly signals?: Signals;
}

/** Signals of which nothing is known. */
export const UNKNOWN_SIGNALS = Object.fromEntries(GATES.map((gate) => [gate, { level: "skip" }])) as unknown as Signals;
