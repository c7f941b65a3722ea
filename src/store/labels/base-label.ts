import type { RunEvent } from "../../domain/run/event.ts";
import type { LiveCheckCause, LiveCheckFact } from "../../domain/run/live-check.ts";
import type { RevertEvent } from "../../domain/run/reduce-revert.ts";
import { type RunState, ticketOf } from "../../domain/run/state.ts";
import { plural } from "../../domain/values/plural.ts";
import type { EventLabel } from "../describe-claim.ts";
import { STYLES, toned } from "./tone.ts";

const CHECK_CAUSES: Readonly<Record<LiveCheckCause, string>> = {
  due: "live check repeated",
  person: "live check asked for",
  end: "last live check",
};

/** A live check, with its count and what follows a failed one. */
export function liveCheckLabel(event: LiveCheckFact, state: RunState): EventLabel {
  const { live, phase } = ticketOf(state, event.ticket);
  if (event.type === "live-check-started") return [STYLES.landed, CHECK_CAUSES[event.why]];
  if (event.ok) return [STYLES.done, `live: the check passed; ${live?.sha.slice(0, 7) ?? "it"} is done`];
  if (event.problem !== undefined) return [toned(STYLES.landed, "bad"), `live check without a result: ${event.summary}`];
  const next = phase === "landed" ? "" : "; an agent is next";
  return [STYLES.failed, `not live (${plural(live?.failed ?? 1, "failed check")})${next}: ${event.summary}`];
}

/** Describes an event of the engine's revert. */
export function revertLabel(event: RevertEvent, state: RunState): EventLabel | undefined {
  switch (event.type) {
    case "revert-intended":
      return undefined;
    case "revert-started": {
      const { live } = ticketOf(state, event.ticket);
      return [STYLES.again, `reverting ${live?.sha.slice(0, 7) ?? "its change"}: its live checks keep failing`];
    }
    case "revert-landed":
      return [STYLES.again, `reverted in ${event.repo} as ${event.to.slice(0, 7)}; the live check runs without the change`];
    case "revert-waiting":
      return [toned(STYLES.heldUp, "waiting"), `revert waits: ${event.reason}`];
    case "revert-ended":
      return event.ok
        ? [STYLES.again, "open again, its change is reverted; the live check passes without it"]
        : [STYLES.failed, `open again, its change is reverted; the live check fails without it too: ${event.summary}`];
    case "revert-failed":
      return [STYLES.failed, `cannot be reverted, the base stays frozen: ${event.reason}`];
    case "revert-stopped":
      return [STYLES.cutOff, "revert stopped: it goes on with the next engine"];
  }
}

/** The lines of bases that this event broke or repaired. */
export function baseLabels({ seq }: Pick<RunEvent, "seq">, { incidents }: RunState): readonly EventLabel[] {
  return incidents.flatMap((incident): EventLabel[] => {
    if (incident.kind !== "broken-base") return [];
    const { repo = "", summary } = incident;
    if (incident.endedSeq === seq) return [[STYLES.done, `the base of ${repo} is whole again: ${summary}`]];
    return incident.seq === seq ? [[STYLES.failed, `the base of ${repo} is broken: ${summary}`]] : [];
  });
}
