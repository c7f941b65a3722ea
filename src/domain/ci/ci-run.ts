import type { RunState } from "../run/state.ts";

/** The ticket of every loop of `loopdash ci`. */
export const CI_TICKET = "CI-1";

/** The branch of a run that `loopdash ci` has begun, by its batch; undefined for any other run. */
export function loopBranch({ batch, plan }: Pick<RunState, "batch" | "plan">): string | undefined {
  const [ticket] = plan.tickets;
  const isLoop = isBranchRun({ batch, plan }) && ticket?.id === CI_TICKET && batch.name.startsWith("ci ");
  return isLoop ? batch.repos[ticket.repo]?.base : undefined;
}

/** True for a run whose one ticket works on the checks of a branch. */
export function isBranchRun({ batch, plan: { tickets } }: Pick<RunState, "batch" | "plan">): boolean {
  const [ticket, ...others] = tickets;
  return ticket !== undefined && others.length === 0 && batch.repos[ticket.repo]?.forge?.kind === "github-branch";
}
