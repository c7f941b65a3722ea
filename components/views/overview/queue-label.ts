import type { Attempt, TicketState } from "../../../src/domain/run/state.ts";
import { specOf } from "../../../src/domain/schedule/plan.ts";
import { describeReason, type Reason, whyNot } from "../../../src/domain/schedule/why-not.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { type DashboardState, ticketIn } from "../../../src/store/dashboard-state.ts";
import { displayText } from "../../../src/store/display-text.ts";
import { formatClock } from "../../../src/store/format.ts";
import { reviewerLabel } from "../../../src/store/reviewer-label.ts";
import { finishOf, stageOf } from "../../../src/store/ticket-stage.ts";
import type { Tone } from "../../../src/store/tone.ts";
import { type SaidOf, sayingOf } from "./worker-status.ts";

/** What is said of a ticket in the queue: what its finish line is at, why it waits, the step that is left, or what was shipped. */
export interface QueueLabel {
  readonly glyph: string;
  readonly tone: Tone;
  readonly text: string;
}

/** Reasons of a ticket that could run, were there room. */
const ABLE = new Set<Reason["kind"]>(["ready", "slots", "finishing", "kept"]);

/** Why a ticket stands in the queue, in words. */
export function queueLabel(state: Pick<DashboardState, "run">, id: TicketId): QueueLabel {
  const ticket = ticketIn(state, id);
  const run = state.run;
  if (ticket === undefined || run === undefined) return { glyph: " ", tone: "plain", text: "" };
  if (ticket.attempt !== undefined)
    return finishingWord(ticket.attempt, { finish: finishOf(run, id), reviewer: reviewerLabel(run) });
  switch (ticket.phase) {
    case "human-gated":
      return { glyph: "!", tone: "person", text: gatedText(ticket) };
    case "stalled":
      return { glyph: "✖", tone: "bad", text: displayText(ticket.stalledReason ?? "stalled") };
    case "done":
      return { glyph: "✔", tone: "good", text: ticket.mergedSha?.slice(0, 7) ?? "done" };
    default: {
      const reason = whyNot(run, run.plan.index[id] ?? 0);
      const again = ticket.history.length === 0 ? "" : ` · try ${ticket.history.length + 1}`;
      const able = ABLE.has(reason.kind);
      return {
        glyph: able ? "○" : "·",
        tone: able ? "running" : "waiting",
        text: `${displayText(reasonText(reason))}${again}${foundWord(ticket)}`,
      };
    }
  }
}

/** A reason in words; times are the reader's own, as in the feed. */
function reasonText(reason: Reason): string {
  return reason.kind === "held" ? `held till ${formatClock(reason.until)}` : describeReason(reason);
}

/** The step that is left; before it the commit of what was built, where that has landed. */
function gatedText({ humanStep, mergedSha }: TicketState): string {
  const landed = mergedSha === undefined ? "" : `${mergedSha.slice(0, 7)} · `;
  return landed + displayText(humanStep ?? "a step is left to you");
}

/** Who found a ticket, behind a word that may leave no room for the title; empty where the batch named it itself. */
function foundWord({ foundBy }: TicketState): string {
  return foundBy === undefined ? "" : ` · found by ${foundBy}`;
}

/** A ticket's title. */
export function titleOf({ run }: Pick<DashboardState, "run">, id: TicketId): string {
  return run === undefined ? "" : displayText(specOf(run.plan, id).title);
}

/** A ticket's title, and before it who found it: it is cut at its end. */
export function titleLabel(state: Pick<DashboardState, "run">, id: TicketId): string {
  const finder = ticketIn(state, id)?.foundBy;
  return `${finder === undefined ? "" : `found by ${finder} · `}${titleOf(state, id)}`;
}

function finishingWord(attempt: Attempt, saidOf: SaidOf): QueueLabel {
  const { glyph, tone, word } = stageOf(attempt, saidOf.finish);
  const again = attempt.n === 1 ? "" : ` · try ${attempt.n}`;
  if (attempt.asked !== undefined) return { glyph, tone, text: `${sayingOf(attempt, saidOf).text}${again}` };
  return { glyph, tone, text: `${attempt.waiting === undefined ? word : displayText(attempt.waiting)}${again}` };
}
