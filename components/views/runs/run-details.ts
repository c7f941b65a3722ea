import { plural } from "../../../src/domain/values/text.ts";
import { displayText } from "../../../src/store/format.ts";
import { standingLabel } from "../../../src/store/labels/run-label.ts";
import type { ListedRun } from "../../../src/store/run-list.ts";
import { fitParts, wrapTo } from "../../kit/fit.ts";
import { linkSpans, type Span, type SpanLine, spansWidth, toLink } from "../../kit/spans.tsx";

/** Lines under the list about the run that is selected. */
export const ABOUT_LINES = 3;

/** The selected run, its progress, and its possible actions, in ABOUT_LINES lines at most. */
export function runDetailLines(
  run: ListedRun,
  options: { readonly shown: boolean; readonly key: string; readonly width: number },
) {
  const { glyph, word, tone } = standingLabel(run);
  const said = wrapTo(describeNextStep(run, options), Math.max(1, options.width - 3), ABOUT_LINES - 1);
  const head: SpanLine = [
    { text: ` ${glyph} ${word}  `, tone, bold: true },
    { text: run.run, bold: true },
  ];
  const { counts } = fitParts({ counts: formatTally(run) }, ["counts", "counts"], options.width - spansWidth(head));
  const first = linkSpans<Span>([...head, { text: counts, tone: "waiting" }], [toLink(run.run, options.width, run.url)]);
  return [first, ...said.map((text): SpanLine => [{ text: `   ${text}` }])];
}

/** Its progress, in more and in fewer words. */
function formatTally({ tally }: ListedRun): readonly string[] {
  if (tally === undefined) return ["  how far it is was not counted", "  not counted"];
  const { done, gated, open, interventions } = tally;
  const counts = `  ${done} done · ${gated} gated · ${open} open`;
  return [`${counts} · ${plural(interventions, "intervention")}`, counts, `  ${done} of ${done + gated + open}`];
}

/** `key`: the one that shows the selected run. */
function describeNextStep(
  { standing, batchPath, run }: ListedRun,
  { shown, key }: { readonly shown: boolean; readonly key: string },
): string {
  const here = shown ? "It is the run that is shown here." : key === "" ? "It is not shown here." : `${key} shows it here.`;
  const goOn = `To continue it: loopdash ${displayText(batchPath)}`;
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
