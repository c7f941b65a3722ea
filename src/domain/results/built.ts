import type { Ticket } from "../batch/schema.ts";
import { findLanding } from "../run/carry-over.ts";
import type { TicketState } from "../run/ticket-state.ts";
import { listKeptWork } from "../run/work-to-keep.ts";

/**
 * What is built of a ticket that is left to a person. `passed`: whether all checks of its finish line passed; absent if that is not known,
 * or if it has none.
 */
export interface BuiltWork {
  readonly sha: string;
  /** Where it is, in words: in the base, in a pull request, or on a branch. */
  readonly where: string;
  readonly passed?: boolean;
}

/**
 * What is built of a ticket that is left to a person: what has landed, else what its pull request holds, else the newest work that
 * is kept. Undefined if nothing is: a recorded step says nothing about the work before it.
 */
export function findBuiltWork(ticket: TicketState, { finish }: Pick<Ticket, "finish">): BuiltWork | undefined {
  const hasCheck = finish.some(({ step }) => step === "check");
  const passed = (all: boolean) => (hasCheck ? { passed: all } : {});
  const landing = findLanding(ticket);
  if (landing !== undefined) {
    const by = landing.earlierRun === undefined ? "" : ` by run ${landing.earlierRun}`;
    // Of another run's landing, this one has seen no check.
    return { sha: landing.sha, where: `landed${by}`, ...(by === "" && passed(true)) };
  }
  const { number, head } = ticket.pullRequest ?? {};
  if (number !== undefined && head !== undefined) return { sha: head, where: `in pull request #${number}`, ...passed(true) };
  const { approval, pendingWork } = ticket;
  if (approval !== undefined && pendingWork !== undefined)
    return { sha: approval.commit, where: "waits for an approval", ...passed(true) };
  const kept = listKeptWork(ticket).find((work) => work.kept !== undefined)?.kept;
  if (kept === undefined) return undefined;
  return { sha: kept.sha, where: `not landed, on ${kept.branch}`, ...passed(kept.checkedFrom !== undefined) };
}

/** What is built of it, in words: `built: 1a2b3c4, landed, its checks passed`, or `nothing built`. */
export function builtText(ticket: TicketState, spec: Pick<Ticket, "finish">): string {
  const built = findBuiltWork(ticket, spec);
  if (built === undefined) return "nothing built";
  const checks = { true: ", its checks passed", false: ", its checks have not passed", undefined: "" };
  return `built: ${built.sha.slice(0, 7)}, ${built.where}${checks[`${built.passed}`]}`;
}
