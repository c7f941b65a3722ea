import { isMissing } from "../../domain/run/drift-fact.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { OUTAGE_WORDS, type Outage, type OutageFact, type OutageSource, outageWords } from "../../domain/run/outage-fact.ts";
import type { RunState } from "../../domain/run/state.ts";
import { plural } from "../../domain/values/plural.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { formatClock, formatElapsed } from "../format.ts";
import { type EventLabel, STYLES, toned } from "./tone.ts";

/** Describes a fact about an outage in a line: what is away, why, when it is tried again, and when it is given up. */
export function outageLabel(event: Extract<RunEvent, { type: OutageFact["type"] }>): EventLabel {
  const { was } = OUTAGE_WORDS[event.what];
  if (event.type === "outage-ended") {
    const after = `after ${formatElapsed(event.ms)}`;
    if (event.cutOff) return [STYLES.waits, `${was}; the wait for it was cut off ${after}`];
    if (event.givenUp === undefined) return [STYLES.run, `${was}; it recovered ${after}`];
    return [STYLES.failed, `${was}: ${event.givenUp}; given up ${after}, the run ends`];
  }
  const { why, nextAt, until, at, isBusy } = event;
  const is = outageWords(event.what, isBusy);
  if (isBusy) return [toned(STYLES.heldUp, "waiting"), `${is}: ${why}; it is asked again in ${formatElapsed(nextAt - at)}`];
  const still = event.type === "outage-continues" ? `still: ${is}` : is;
  const next = `next try in ${formatElapsed(nextAt - at)}, gives up in ${formatElapsed(until - at)}`;
  return [toned(STYLES.heldUp, "waiting"), `${still}: ${why}; ${next}`];
}

/** The words for an outage under way, without the next try, whose time goes by. `tries`: how often it was tried, if that is known. */
export function outageUnderWay(
  { what, why, until, isBusy }: Pick<Outage, "why" | "until" | "isBusy"> & { readonly what: OutageSource },
  tries: number | undefined,
): string {
  const is = outageWords(what, isBusy);
  if (isBusy) return `${is}: ${why}`;
  const tried = tries === undefined ? "" : `, ${plural(tries, "try", "tries")}`;
  return `${is}${tried}: ${why}; gives up at ${formatClock(until)}`;
}

/**
 * The time at which a run ends that waits for tickets which are gone from the tracker or cannot be read there: nothing else keeps the
 * oracle from judging. Milliseconds since the epoch; undefined if it waits for none.
 */
export function missingUntil({ outages, end, tickets }: RunState): number | undefined {
  if (end !== undefined || outages?.oracle === undefined) return undefined;
  return [...vecItems(tickets)].some(isMissing) ? outages.oracle.until : undefined;
}

/** The outage under way that is given up first; undefined if there is none, or if the run has ended. */
export function firstOutage({ outages, end }: RunState): (Outage & { readonly what: OutageSource }) | undefined {
  if (outages === undefined || end !== undefined) return undefined;
  const all = (Object.entries(outages) as [OutageSource, Outage][]).map(([what, outage]) => ({ what, ...outage }));
  return all.toSorted((a, b) => a.until - b.until)[0];
}
