import { vecAt } from "../../../src/domain/values/vec.ts";
import type { DashboardState } from "../../../src/store/dashboard-state.ts";
import { stageOf } from "../../../src/store/labels/ticket-stage.ts";
import type { Tone } from "../../../src/store/labels/tone.ts";

/** How a ticket stands, in a glyph. */
export interface NodeStyle {
  readonly glyph: string;
  readonly tone: Tone;
}

/** A ticket of the graph by its state alone: one that waits may start, or waits for others. */
export function nodeStyle({ run }: Pick<DashboardState, "run">, index: number): NodeStyle {
  if (run === undefined) return { glyph: " ", tone: "plain" };
  const ticket = vecAt(run.tickets, index);
  if (ticket.attempt !== undefined) return stageOf(ticket.attempt, run.plan.tickets[index]?.finish ?? []);
  switch (ticket.phase) {
    case "done":
      return { glyph: "✔", tone: "good" };
    case "human-gated":
      return { glyph: "!", tone: "person" };
    case "stalled":
      return { glyph: "✖", tone: "bad" };
    default:
      return ticket.openDeps === 0 ? { glyph: "○", tone: "running" } : { glyph: "·", tone: "waiting" };
  }
}

/** The looks of several tickets as one text, which is the same as long as they are. */
export function stylesKey(state: Pick<DashboardState, "run">, indexes: readonly number[]): string {
  return indexes
    .map((index) => {
      const { glyph, tone } = nodeStyle(state, index);
      return `${glyph} ${tone}`;
    })
    .join("\n");
}

/** Reads such a text back. */
export function stylesOf(key: string): readonly NodeStyle[] {
  if (key === "") return [];
  return key.split("\n").map((look) => {
    const at = look.lastIndexOf(" ");
    return { glyph: look.slice(0, at), tone: look.slice(at + 1) as Tone };
  });
}
