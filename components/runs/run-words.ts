import { displayText } from "../../src/store/display-text.ts";
import { plural } from "../../src/store/format.ts";
import { type ListedRun, standingLook } from "../../src/store/run-list.ts";
import { wrapWords } from "../fit.ts";
import type { SpanLine } from "../spans.tsx";

/** Lines under the list about the run that is selected. */
export const ABOUT_LINES = 3;

/** What the selected run is, how far it is, and what can be done with it, in exactly ABOUT_LINES lines at most. */
export function aboutLines(run: ListedRun, shown: boolean, width: number): readonly SpanLine[] {
  const [glyph, word, tone] = standingLook(run);
  const said = wrapWords(`${todoOf(run, shown)}`, Math.max(1, width - 3)).slice(0, ABOUT_LINES - 1);
  return [
    [
      { text: ` ${glyph} ${word}  `, tone, bold: true },
      { text: run.run, bold: true },
      { text: `  ${countsOf(run)}`, tone: "waiting" },
    ],
    ...said.map((text): SpanLine => [{ text: `   ${text}` }]),
  ];
}

function countsOf({ tally }: ListedRun): string {
  if (tally === undefined) return "how far it is was not counted";
  const { done, gated, open, interventions } = tally;
  return `${done} done · ${gated} gated · ${open} open · ${plural(interventions, "intervention")}`;
}

function todoOf({ standing, batchPath, run }: ListedRun, shown: boolean): string {
  const here = shown ? "It is the run that is shown here." : "enter shows it here.";
  const goOn = `To go on with it: loopdash ${displayText(batchPath)}`;
  switch (standing) {
    case "at-work":
      return `${here} In another terminal: loopdash attach ${run}`;
    case "stopped":
      return `It was stopped, and nobody works on it. ${goOn}`;
    case "engine-gone":
      return `Its engine is gone, and nothing was judged. ${goOn}`;
    case "ended":
      return `${here} To play it again: loopdash replay ${run}`;
  }
}
