import { type BaseMeasureFact, describeMeasured } from "../../domain/run/base-measure.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import type { LiveCheckCause, LiveCheckFact, RevertedChange } from "../../domain/run/live-check.ts";
import { type BaseCheckEvent, describeSuspect } from "../../domain/run/reduce-base.ts";
import type { RevertEvent } from "../../domain/run/reduce-revert.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import { type BrokenBaseResponse, responseTo } from "../../domain/schedule/freeze.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { formatDuration } from "../../domain/values/time.ts";
import { displayText } from "../format.ts";
import { type EventLabel, STYLES, toned } from "./tone.ts";

const CHECK_CAUSES: Readonly<Record<LiveCheckCause, string>> = {
  due: "live check runs again",
  person: "live check runs, as requested",
  end: "last live check runs",
};

/** A live check, with its count and what follows a failed one. */
export function liveCheckLabel(event: LiveCheckFact, state: RunState): EventLabel {
  const { live, phase } = ticketById(state, event.ticket);
  if (event.type === "live-check-started") return [STYLES.landed, CHECK_CAUSES[event.why]];
  if (event.ok) return [STYLES.done, `live: the check passed; ${live?.sha.slice(0, 7) ?? "it"} is done`];
  if (event.problem === "waits") return [STYLES.heldUp, event.summary];
  if (event.problem === "untold")
    return [toned(STYLES.landed, "bad"), `live check passed, but the tracker cannot be told: ${event.summary}`];
  if (event.problem !== undefined) return [toned(STYLES.landed, "bad"), `live check without a result: ${event.summary}`];
  const next = phase === "landed" ? "" : "; an agent is next";
  const failed = live?.failed ?? 1;
  const count = failed === 1 ? "1 failed check" : `${failed} failed checks in a row`;
  return [STYLES.failed, `not live (${count})${next}: ${event.summary}`];
}

/** Describes an event of the engine's revert. */
export function revertLabel(event: RevertEvent, state: RunState): EventLabel | undefined {
  const { live, reverted } = ticketById(state, event.ticket);
  const why: RevertCause = (event.type === "revert-ended" ? reverted : live?.revert) ?? {};
  switch (event.type) {
    case "revert-asked":
    case "revert-intended":
      return undefined;
    case "revert-started":
      return [STYLES.again, startedText(why)];
    case "revert-landed":
      return [STYLES.again, `reverted in ${event.repo} as ${event.to.slice(0, 7)}${afterText(why)}`];
    case "revert-ended":
      if (why.byPerson) return [STYLES.again, `open again, its change is reverted; ${event.summary}`];
      return event.ok
        ? [
            STYLES.again,
            `open again, its change is reverted; ${why.failedCheck === undefined ? "the live check passes without it" : event.summary}`,
          ]
        : [STYLES.failed, `open again, its change is reverted; without it, the live check did not pass: ${event.summary}`];
    case "revert-waiting":
      return [STYLES.heldUp, `revert waits: ${event.reason}`];
    case "revert-failed": {
      const isBroken = state.brokenBases[plannedTicket(state.plan, event.ticket).repo] !== undefined;
      return [STYLES.failed, `cannot be reverted${isBroken ? ", the base stays frozen" : ""}: ${event.reason}`];
    }
    case "revert-stopped":
      return [STYLES.cutOff, "revert stopped: the next engine continues it"];
  }
}

/** Why a change is reverted: a person asked, a check fails on the base with it, or else its live checks keep failing. */
type RevertCause = Pick<RevertedChange, "byPerson" | "failedCheck">;

function startedText({ byPerson, failedCheck }: RevertCause): string {
  if (byPerson) return "its change is being reverted, as a person asked";
  if (failedCheck !== undefined) return `its change may have to be reverted: ${failedCheck.summary}`;
  return "its change is being reverted: the live checks keep failing";
}

function afterText({ byPerson, failedCheck }: RevertCause): string {
  if (byPerson) return "";
  return failedCheck === undefined
    ? "; the live check runs without the change"
    : `; the check ${failedCheck.name} passes without the change`;
}

/**
 * A check on a base that runs again. A result that breaks or repairs the base has a line of its own (`baseLabels`); a stop without a
 * reason is that of the run.
 */
export function baseCheckLabel(event: BaseCheckEvent, { incidents }: Pick<RunState, "incidents">): EventLabel | undefined {
  if (event.type === "base-check-started") return [STYLES.landed, `check runs again on the base of ${event.repo}`];
  if (event.type === "base-check-ended") {
    const isToldAsBroken = incidents.some(({ seq }) => seq === event.seq);
    if (event.ok || isToldAsBroken) return undefined;
    return [STYLES.failed, `the base of ${event.repo} still fails at ${event.sha.slice(0, 7)}: ${event.summary}`];
  }
  if (event.reason === undefined) return undefined;
  const next =
    event.nextAt === undefined ? "it waits for the base to move" : `again in ${formatDuration(event.nextAt - event.at)}`;
  return [toned(STYLES.landed, "bad"), `check on the base of ${event.repo} without a result, ${next}: ${event.reason}`];
}

/** A base that was measured before any agent works on it, as one line; why its agents wait stands beside their tickets. */
export function baseMeasureLabel(event: BaseMeasureFact): EventLabel | undefined {
  if (event.type !== "base-measured") return undefined;
  const { repo, sha, checks } = event;
  const worst = checks.some(({ as }) => as === "cannot-run") ? "bad" : "waiting";
  const style = checks.every(({ as }) => as === "passed") ? STYLES.run : toned(STYLES.run, worst);
  const at = sha === "" ? "" : ` at ${sha.slice(0, 7)}`;
  return [style, `base of ${repo}${at}: ${checks.map(describeMeasured).join("; ")}`];
}

/** The lines of bases that this event broke or repaired. */
export function baseLabels({ seq }: Pick<RunEvent, "seq">, { batch, brokenBases, incidents }: RunState): readonly EventLabel[] {
  return incidents.flatMap((incident): EventLabel[] => {
    if (incident.kind !== "broken-base") return [];
    const { repo = "", summary, endedBy } = incident;
    if (incident.endedSeq === seq && endedBy !== undefined)
      return [[STYLES.again, `the base of ${repo} no longer counts as broken: ${endedBy}`]];
    if (incident.endedSeq === seq) return [[STYLES.done, `the base of ${repo} passes again (suspected: ${summary})`]];
    if (incident.seq !== seq) return [];
    const isNobodys = batch.onBroken === "revert" && brokenBases[repo]?.cause === "check" && !brokenBases[repo].ticket;
    const kept = isNobodys ? "; nothing is reverted, because this run did not land the suspected commit" : "";
    return [[STYLES.failed, `the base of ${repo} is broken: ${summary}${kept}`]];
  });
}

/** The broken base that a run shows, in parts that are safe to draw. Plain values only. */
export interface BrokenBaseLabel {
  readonly repo: string;
  /** The suspected commit and its ticket. */
  readonly suspect: string;
  readonly ticket?: TicketId;
  /** What fails. */
  readonly failure: string;
  readonly response: BrokenBaseResponse;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The number of other broken bases. */
  readonly more: number;
}

/** A step that is named by its program's path, by the program alone: the line has little room. */
function withoutFolders(step: string): string {
  return step.startsWith("/") ? step.slice(step.lastIndexOf("/") + 1) : step;
}

/** The base that has been broken longest; undefined if none is, or the run has ended. */
export function brokenBaseLabel(run: RunState | undefined): BrokenBaseLabel | undefined {
  if (run === undefined || run.end !== undefined) return undefined;
  const all = Object.entries(run.brokenBases).toSorted(([, a], [, b]) => a.since - b.since);
  const [repo, base] = all[0] ?? [];
  if (repo === undefined || base === undefined) return undefined;
  const { ticket, step, summary, since } = base;
  return {
    repo: displayText(repo),
    suspect: describeSuspect(base),
    ticket,
    failure: displayText(`${withoutFolders(step)}: ${summary}`),
    response: responseTo(run, base),
    since,
    more: all.length - 1,
  };
}
