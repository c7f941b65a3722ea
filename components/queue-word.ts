import type { StepSpec } from "../src/domain/batch/step-spec.ts";
import type { TicketId } from "../src/domain/ids.ts";
import type { Attempt } from "../src/domain/state.ts";
import { describeReason, type Reason, whyNot } from "../src/domain/why-not.ts";
import { type DashboardState, ticketIn } from "../src/store/dashboard-store.ts";
import { displayText } from "../src/store/display-text.ts";
import { finishOf, stageOf } from "../src/store/stage-look.ts";
import type { Tone } from "../src/store/tone.ts";

/** What is said of a ticket in the queue: what its finish line is at, why it waits, the step that is left, or what was shipped. */
export interface Word {
  readonly glyph: string;
  readonly tone: Tone;
  readonly text: string;
}

/** Reasons of a ticket that could run, were there room. */
const ABLE = new Set<Reason["kind"]>(["ready", "slots", "finishing", "kept"]);

/** Why a ticket stands in the queue, in words. */
export function queueWord(state: Pick<DashboardState, "run">, id: TicketId): Word {
  const ticket = ticketIn(state, id);
  const run = state.run;
  if (ticket === undefined || run === undefined) return { glyph: " ", tone: "plain", text: "" };
  if (ticket.attempt !== undefined) return finishingWord(ticket.attempt, finishOf(run, id));
  switch (ticket.phase) {
    case "human-gated":
      return { glyph: "!", tone: "person", text: displayText(ticket.humanStep ?? "a step is left to you") };
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
        text: `${displayText(describeReason(reason))}${again}`,
      };
    }
  }
}

function finishingWord(attempt: Attempt, finish: readonly StepSpec[]): Word {
  const { glyph, tone, word } = stageOf(attempt, finish);
  const again = attempt.n === 1 ? "" : ` · try ${attempt.n}`;
  return { glyph, tone, text: `${attempt.waiting === undefined ? word : displayText(attempt.waiting)}${again}` };
}
