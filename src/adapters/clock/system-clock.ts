import type { EngineClock } from "../../ports/clock.ts";
import { ranMs, takeGaps } from "../executor/run-time.ts";

/** The longest delay a timer takes, in milliseconds (about 24 days); a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** The machine's own clock. */
export const systemClock: EngineClock = {
  now: () => Date.now(),
  ran: ranMs,
  gaps: takeGaps,
  after(ms, then) {
    let left = ms;
    let timer: NodeJS.Timeout;
    const wait = () => {
      const part = Math.min(left, LONGEST_MS);
      left -= part;
      timer = setTimeout(left > 0 ? wait : then, part).unref();
    };
    wait();
    return () => clearTimeout(timer);
  },
};
