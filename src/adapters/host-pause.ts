import { TrackerBusy } from "../ports/tracker.ts";
import { HOUR_MS } from "./reading-pace.ts";

/** A pause that a host has asked for. `until`: milliseconds since the epoch. */
interface HostPause {
  readonly why: string;
  readonly until: number;
  /** The one request that goes first once the pause is over: the others wait for its answer. */
  probe?: Promise<unknown>;
}

/** The pauses under way by host, of everything in this process: a host counts the requests of all of them together. */
const PAUSES = new Map<string, HostPause>();

/**
 * Sends a request, unless its host has asked for a pause: then throws a TrackerBusy without asking it. Whatever of this process met the
 * rate limit, all wait for the same time, and one goes first after it.
 */
export async function outsidePause<T>(host: string, now: () => number, send: () => Promise<T>): Promise<T> {
  let pause = PAUSES.get(host);
  for (; pause !== undefined; pause = PAUSES.get(host)) {
    if (now() < pause.until) throw new TrackerBusy(pause.why, pause.until);
    if (pause.probe === undefined) break;
    await pause.probe;
  }
  const sent = send();
  if (pause !== undefined) pause.probe = sent.catch(() => undefined);
  try {
    return await sent;
  } catch (error) {
    if (error instanceof TrackerBusy) {
      // The budgets of an hour are full again after two at the latest, whatever the answer says.
      const until = Math.min(error.retryAt, now() + 2 * HOUR_MS);
      PAUSES.set(host, { why: error.message, until: Math.max(until, PAUSES.get(host)?.until ?? 0) });
    }
    throw error;
  } finally {
    if (PAUSES.get(host) === pause) PAUSES.delete(host);
  }
}
