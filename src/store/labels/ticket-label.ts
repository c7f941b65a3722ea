import { findLanding } from "../../domain/run/carry-over.ts";
import { isMissing, missingRemedy } from "../../domain/run/drift-fact.ts";
import { busySlots, type RunState } from "../../domain/run/state.ts";
import type { Attempt, TicketState } from "../../domain/run/ticket-state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import { describeReason, type Reason, whyNot } from "../../domain/schedule/why-not.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { plural } from "../../domain/values/text.ts";
import { vecAt } from "../../domain/values/vec.ts";
import { type DashboardState, ticketIn } from "../dashboard-state.ts";
import { displayText, formatClock } from "../format.ts";
import { type StatusLineOptions, statusLine } from "./attempt-status.ts";
import { planState } from "./plan-label.ts";
import { attemptStage, finishLine, mergeWait, missingUntil, progressParts } from "./progress-label.ts";
import { type Label, reviewerLabel, STYLES, type Style, toned, underWayLabel } from "./tone.ts";

/** The status of a ticket in the queue: its current step, the reason why it waits, the remaining step, or what was shipped. */
export interface QueueLabel extends Style {
  readonly text: string;
}

/** Reasons of a ticket that could run if there were room. */
const ABLE = new Set<Reason["kind"]>(["ready", "slots", "finishing", "reserved"]);

/** The reason why a ticket stands in the queue, in words. Without `now` there is no running clock in it. */
export function queueLabel(state: Pick<DashboardState, "run"> & { readonly now?: number }, id: TicketId): QueueLabel {
  const ticket = ticketIn(state, id);
  const run = state.run;
  if (ticket === undefined || run === undefined) return { glyph: " ", tone: "plain", text: "" };
  const label = withRemedy(run, ticket, plainQueueLabel(run, ticket, state.now));
  // A ticket that waits says so itself.
  const isUnseen = ticket.tracked?.unavailable !== undefined && (ticket.phase !== "waiting" || ticket.attempt !== undefined);
  if (!isUnseen) return label;
  const { unreadable, onHold } = ticket.tracked ?? {};
  const problem = onHold ? "on hold in the tracker" : unreadable ? "cannot be read in the tracker" : "not in the tracker";
  return { ...label, text: `${problem} · ${label.text}` };
}

/** What a person does about a ticket that is gone, before what is known of it; a countdown is drawn apart from it. */
function withRemedy(run: RunState, ticket: TicketState, label: QueueLabel): QueueLabel {
  if (!isMissing(ticket) || run.end !== undefined) return label;
  const until = missingUntil(run);
  const or = until === undefined ? "no run is done without it" : `the run ends unjudged at ${formatClock(until)}`;
  return { ...label, text: `${missingRemedy(ticket)}, or ${or}; --fresh begins a run without it · ${label.text}` };
}

/** The number of free slots, and what keeps the next ticket from starting in one: `2 free   SHOP-4 waits for SHOP-2`. */
export function freeSlotsText(run: RunState, waiting: readonly TicketId[]): string {
  const free = run.workers - busySlots(run);
  if (free <= 0 || run.outages?.journal !== undefined) return "";
  const [next] = waiting;
  if (next === undefined) return `${free} free   no other ticket is open`;
  const more = waiting.length > 1 && run.ready.length === 0 ? `, and ${waiting.length - 1} more wait` : "";
  return `${free} free   ${displayText(`${next} ${describeReason(whyNot(run, run.plan.index[next] ?? 0))}`)}${more}`;
}

function plainQueueLabel(run: RunState, ticket: TicketState, now: number | undefined): QueueLabel {
  const { attempt, id } = ticket;
  if (attempt !== undefined)
    return finishingLabel(attempt, { finish: finishLine(run, id), reviewer: reviewerLabel(run, attempt.asked) }, now);
  switch (ticket.phase) {
    case "human-gated":
      return { ...STYLES.needsYou, text: gatedText(ticket) };
    case "stalled":
      return { ...STYLES.failed, text: displayText(ticket.stalledReason ?? "stalled") };
    case "done":
      return { ...STYLES.done, text: doneText(ticket) };
    case "landed":
      return { ...STYLES.landed, text: displayText(landedText(ticket)) };
    default: {
      const reason = whyNot(run, run.plan.index[id] ?? 0);
      const again = ticket.history.length === 0 ? "" : ` · attempt ${ticket.history.length + 1}`;
      const able = ABLE.has(reason.kind);
      return {
        ...(able ? STYLES.ready : STYLES.waits),
        text: `${displayText(reasonText(reason))}${again}${originLabel(ticket)}`,
      };
    }
  }
}

/** A reason in words; times are the reader's own, as in the feed. */
function reasonText(reason: Reason): string {
  return reason.kind === "backoff" ? `held till ${formatClock(reason.until)}` : describeReason(reason);
}

/** The landed commit, what its live checks say, and when the next one is; a countdown is drawn apart from it. */
export function landedText({ live, mergedSha }: TicketState): string {
  const sha = (live?.sha ?? mergedSha ?? "").slice(0, 7);
  if (live === undefined) return sha;
  const failed = `${plural(live.failed, "failed check")}: ${live.history.at(-1)?.summary ?? "no reason given"}`;
  if (live.checking) return `${sha} · live check running`;
  if (live.givenUp !== undefined) return `${sha} · not live, not repeated: ${live.givenUp}`;
  return `${sha} · not live · ${failed}`;
}

/** The remaining step; behind it the commit of the work, if that has landed. */
function gatedText(ticket: TicketState): string {
  const landed = landingText(ticket);
  return `${displayText(ticket.humanStep ?? "a step is left to you")}${landed === undefined ? "" : ` · landed ${landed}`}`;
}

/** What made a ticket done: a person, or the commit that landed it. */
function doneText(ticket: TicketState): string {
  const landed = landingText(ticket);
  if (ticket.closedByPerson !== "closed") return landed ?? "done";
  return `closed by a person${landed === undefined ? "" : ` · ${landed}`}`;
}

/** The commit of a ticket that has landed, marked if an earlier run landed it. */
function landingText(ticket: TicketState): string | undefined {
  const landing = findLanding(ticket);
  if (landing === undefined) return undefined;
  return `${landing.sha.slice(0, 7)}${landing.earlierRun === undefined ? "" : " (earlier run)"}`;
}

/** What people call a ticket in its tracker, if that is not its id, the ticket whose worker found it, and its class and its plan if it has them. */
export function originParts({ foundBy, tracked, complexity, plan }: TicketState): readonly string[] {
  const planned = planState(plan);
  const { serviceId } = tracked ?? {};
  return [
    ...(serviceId === undefined ? [] : [serviceId]),
    ...(foundBy === undefined ? [] : [`found by ${foundBy}`]),
    ...(complexity ? [complexity.class] : []),
    ...(planned === undefined ? [] : [planned]),
  ];
}

/** The origin of a ticket, behind a word that may leave no room for the title; empty if the batch named the ticket itself. */
function originLabel(ticket: TicketState): string {
  return originParts(ticket)
    .map((part) => ` · ${part}`)
    .join("");
}

/** A ticket's title. */
export function displayTitle({ run }: Pick<DashboardState, "run">, id: TicketId): string {
  return displayText(run === undefined ? "" : plannedTicket(run.plan, id).title);
}

/** A ticket's title, and before it its origin: the text is cut at its end. */
export function titleLabel(state: Pick<DashboardState, "run">, id: TicketId): string {
  const ticket = ticketIn(state, id);
  return [...(ticket === undefined ? [] : originParts(ticket)), displayTitle(state, id)].join(" · ");
}

function finishingLabel(attempt: Attempt, saidOf: StatusLineOptions, now: number | undefined): QueueLabel {
  const { glyph, tone, word } = attemptStage(attempt, saidOf.finish);
  const again = attempt.n === 1 ? "" : ` · attempt ${attempt.n}`;
  if (attempt.asked !== undefined) return { glyph, tone, text: `${statusLine(attempt, saidOf).text}${again}` };
  const running = statusLine(attempt, saidOf).running;
  if (running !== undefined) return { glyph, tone, text: `${progressParts(running, now).join(" · ")}${again}` };
  const held = mergeWait(attempt, now) ?? (attempt.awaited === undefined ? undefined : `preparing: ${attempt.awaited}`);
  return { glyph, tone, text: `${held === undefined ? word : displayText(held)}${again}` };
}

/** A ticket's style by its state alone: a waiting one may start, or waits for others. */
export function ticketStyle({ run }: Pick<DashboardState, "run">, index: number): Style {
  if (run === undefined) return { glyph: " ", tone: "plain" };
  const ticket = vecAt(run.tickets, index);
  if (ticket.attempt !== undefined) return attemptStage(ticket.attempt, run.plan.tickets[index]?.finish ?? []);
  switch (ticket.phase) {
    case "done":
      return STYLES.done;
    case "landed":
      return STYLES.landed;
    case "human-gated":
      return STYLES.needsYou;
    case "stalled":
      return STYLES.failed;
    default:
      return ticket.openDeps === 0 ? STYLES.ready : STYLES.waits;
  }
}

/** The phase of a ticket; the reason for waiting is shown elsewhere. `live`: an engine works on the run. */
export function phaseLabel({ phase, stalledReason }: TicketState, live: boolean): Label {
  switch (phase) {
    case "done":
      return { ...STYLES.done, word: "done" };
    case "landed":
      return { ...STYLES.landed, word: "not live" };
    case "human-gated":
      return { ...STYLES.needsYou, word: "yours" };
    case "working":
    case "finishing":
      return underWayLabel(live);
    case "stalled":
      return { ...STYLES.failed, word: stalledReason === undefined ? "open" : "stalled" };
    case "waiting":
      return { ...toned(STYLES.ready, "waiting"), word: "open" };
  }
}
