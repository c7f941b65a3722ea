import type { TicketId } from "../src/domain/ids.ts";
import { describeReason, whyNot } from "../src/domain/why-not.ts";
import { type DashboardState, ticketIn } from "../src/store/dashboard-store.ts";
import { displayText } from "../src/store/display-text.ts";
import type { Tone } from "../src/store/tone.ts";

/** What is said of a ticket that nobody works on: why it waits, the step that is left, or what was shipped. */
export interface Word {
  readonly glyph: string;
  readonly tone: Tone;
  readonly text: string;
}

/** Why a ticket stands in the queue, in words. */
export function queueWord(state: Pick<DashboardState, "run">, id: TicketId): Word {
  const ticket = ticketIn(state, id);
  const run = state.run;
  if (ticket === undefined || run === undefined) return { glyph: " ", tone: "plain", text: "" };
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
      const able = reason.kind === "ready" || reason.kind === "slots";
      return {
        glyph: able ? "○" : "·",
        tone: able ? "running" : "waiting",
        text: `${displayText(describeReason(reason))}${again}`,
      };
    }
  }
}
