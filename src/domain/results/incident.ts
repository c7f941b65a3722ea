import type { Evidence } from "../run/attempt-fact.ts";
import type { RepoId, TicketId } from "../values/ids.ts";

/**
 * The kind of an incident: a landed change does not pass its live check; a base fails its checks after a landing; a ticket that
 * was done is found not to be.
 */
export type IncidentKind = "live-check" | "broken-base" | "reopened";

/** Something that went wrong after a change had landed. Times in milliseconds since the epoch. */
export interface Incident {
  readonly kind: IncidentKind;
  readonly at: number;
  /** Absent while it lasts. */
  readonly endedAt?: number;
  readonly ticket?: TicketId;
  readonly repo?: RepoId;
  /** The step that found it. */
  readonly step?: Evidence["step"];
  /** One line for people, safe for a terminal. */
  readonly summary: string;
  /** What broke a base: the live check of a landed change, or a check of the base. */
  readonly cause?: "verify" | "check";
  /** The events at which a broken base began and ended. */
  readonly seq?: number;
  readonly endedSeq?: number;
  /** What ended it, if no check has passed since: `reverted by 1234567`. */
  readonly endedBy?: string;
}

/** The subject of an incident. */
export type IncidentSubject = Pick<Incident, "kind" | "ticket" | "repo">;

/** Adds an incident, unless the same one lasts already. Their number is bounded by the landings and attempts of a run. */
export function withIncident(list: readonly Incident[], next: Incident): readonly Incident[] {
  return list.some((each) => isLasting(each, next)) ? list : [...list, next];
}

/** Incidents without bases that a failing live check broke: the check and its base are one thing that went wrong, and the check tells it. */
export function distinctIncidents(list: readonly Incident[]): readonly Incident[] {
  const isTold = ({ at }: Incident): boolean => list.some((each) => each.kind === "live-check" && each.at === at);
  return list.filter((each) => each.kind !== "broken-base" || each.cause !== "verify" || !isTold(each));
}

/** Ends the lasting incident of this kind about this ticket and repository. Nothing changes if there is none. */
export function endIncident(
  list: readonly Incident[],
  subject: IncidentSubject,
  at: number,
  end: { readonly endedSeq?: number; readonly by?: string } = {},
): readonly Incident[] {
  const { by, ...rest } = end;
  return list.some((each) => isLasting(each, subject))
    ? list.map((each) => {
        if (!isLasting(each, subject)) return each;
        return { ...each, endedAt: at, ...rest, ...(by && { summary: `${each.summary}; ${by}`, endedBy: by }) };
      })
    : list;
}

/** Ends what lasts of a ticket that is done or left to a person. `by`: what ended it, if no check has passed. */
export function endTicketIncidents(list: readonly Incident[], ticket: TicketId, at: number, by?: string): readonly Incident[] {
  const end = by === undefined ? {} : { by };
  return endIncident(endIncident(list, { kind: "reopened", ticket }, at, end), { kind: "live-check", ticket }, at, end);
}

/** The lasting incident of a broken base tells of another suspect: nothing else says why the base has not passed since. */
export function withNextSuspect(list: readonly Incident[], repo: RepoId, suspect: string): readonly Incident[] {
  return list.map((each) =>
    isLasting(each, { kind: "broken-base", repo }) ? { ...each, summary: `${each.summary}; then ${suspect}` } : each,
  );
}

function isLasting(incident: Incident, { kind, ticket, repo }: IncidentSubject): boolean {
  return incident.endedAt === undefined && incident.kind === kind && incident.ticket === ticket && incident.repo === repo;
}
