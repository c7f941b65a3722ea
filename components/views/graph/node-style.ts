import type { DashboardState } from "../../../src/store/dashboard-state.ts";
import { ticketStyle } from "../../../src/store/labels/ticket-label.ts";
import type { Style, Tone } from "../../../src/store/labels/tone.ts";

/** The styles of several tickets as one text, which is the same as long as they are. */
export function stylesKey(state: Pick<DashboardState, "run">, indexes: readonly number[]): string {
  return indexes
    .map((index) => {
      const { glyph, tone } = ticketStyle(state, index);
      return `${glyph} ${tone}`;
    })
    .join("\n");
}

/** Reads such a text back. */
export function stylesOf(key: string): readonly Style[] {
  if (key === "") return [];
  return key.split("\n").map((style) => {
    const at = style.lastIndexOf(" ");
    return { glyph: style.slice(0, at), tone: style.slice(at + 1) as Tone };
  });
}
