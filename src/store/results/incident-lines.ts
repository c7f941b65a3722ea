import { distinctIncidents, type Incident, type IncidentKind } from "../../domain/results/incident.ts";
import { interventionKind } from "../../domain/results/intervention.ts";
import { ticketsFrom } from "../../domain/results/linked-tickets.ts";
import type { RunState } from "../../domain/run/state.ts";
import { suspensionLines } from "../../domain/run/suspension.ts";
import { firstFew, plainText } from "../../domain/values/text.ts";
import { formatDuration, utcTime } from "../../domain/values/time.ts";

/** Incidents that a text lists; the others are counted. */
const MOST_LINES = 100;

const KINDS: Readonly<Record<IncidentKind, string>> = {
  "live-check": "failing live checks of",
  "broken-base": "broken base of",
  reopened: "done, then found not done:",
};

/**
 * What went wrong after a landing, in order, a line each: its beginning, its duration, its subject and what happened. Then the times in which
 * the engine did not run.
 */
export function incidentLines(state: Pick<RunState, "incidents" | "end" | "suspensions">): readonly string[] {
  const lines = distinctIncidents(state.incidents).map((incident) => incidentLine(incident, state.end?.at));
  return [...firstFew(lines, MOST_LINES), ...suspensionLines(state)];
}

/** People's interventions, in order, a line each: its time, class, target and note, and the tickets that it became. */
export function interventionLines(state: RunState): readonly string[] {
  const lines = state.interventions.map((each) => {
    const became = ticketsFrom(state, each);
    const what = [each.target, each.note].filter((part) => part !== "").join(": ");
    const then = became.length === 0 ? "" : `, became ${became.join(" ")}`;
    return plainText(`${utcTime(each.at)} UTC, ${each.class} ${interventionKind(each.class)}: ${what}${then}`, 400);
  });
  return firstFew(lines, MOST_LINES);
}

function incidentLine({ kind, at, endedAt, ticket, repo, summary }: Incident, end: number | undefined): string {
  const subject = plainText(ticket ?? repo ?? "", 100);
  return `${utcTime(at)} UTC, ${lasted(at, endedAt, end)}: ${KINDS[kind]} ${subject}: ${plainText(summary, 300)}`;
}

function lasted(at: number, endedAt: number | undefined, end: number | undefined): string {
  if (endedAt !== undefined) return `for ${formatDuration(endedAt - at)}`;
  return end === undefined ? "not over yet" : `for ${formatDuration(end - at)}, and not over when the run ended`;
}
