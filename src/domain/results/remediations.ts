import type { RemedyAction } from "../batch/remedy-spec.ts";
import type { RunState } from "../run/state.ts";
import type { TicketState } from "../run/ticket-state.ts";
import { vecItems } from "../values/vec.ts";

/** Remediations (`made`), and those of them after which the ticket landed before any other (`helped`). */
export interface RemedyCount {
  readonly made: number;
  readonly helped: number;
}

/** The remediations of a run, all together and by action. */
export interface Remediations extends RemedyCount {
  /** Actions that were never taken are left out. */
  readonly byAction: Readonly<Partial<Record<RemedyAction, RemedyCount>>>;
}

/** Counts what was done about failed gates, and what of it helped (S3.35). */
export function remediationsOf({ tickets }: Pick<RunState, "tickets">): Remediations {
  const byAction: Partial<Record<RemedyAction, RemedyCount>> = {};
  let all: RemedyCount = NONE;
  for (const ticket of vecItems(tickets))
    for (const [i, { action }] of (ticket.remedies ?? []).entries()) {
      const hasHelped = isFollowedByLanding(ticket, i);
      byAction[action] = plus(byAction[action] ?? NONE, hasHelped);
      all = plus(all, hasHelped);
    }
  return { ...all, byAction };
}

const NONE: RemedyCount = { made: 0, helped: 0 };

function plus({ made, helped }: RemedyCount, hasHelped: boolean): RemedyCount {
  return { made: made + 1, helped: helped + (hasHelped ? 1 : 0) };
}

/** True if the ticket landed in an attempt after its remediation at `i`, before the next one. */
function isFollowedByLanding({ history, remedies = [] }: TicketState, i: number): boolean {
  const from = remedies[i]?.n ?? 0;
  const until = remedies[i + 1]?.n ?? Number.POSITIVE_INFINITY;
  return history.some(({ n, outcome }) => n >= from && n < until && (outcome === "done" || outcome === "landed"));
}
