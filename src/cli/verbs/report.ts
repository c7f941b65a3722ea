import { reportOf } from "../../domain/results/report.ts";
import { plainText } from "../../domain/values/text.ts";
import { renderPage } from "../../report/page.ts";
import { renderMarkdown, renderSummaryText } from "../../store/results/summary.ts";
import { earlierRuns } from "../earlier-runs.ts";
import { describeChoice, findRun } from "../find-run.ts";
import { writeAll, writeNote } from "../print.ts";

/** Prints the numbers of a run, from its journal alone, and the kept numbers of earlier runs. */
export function report(name: string | undefined, format: "text" | "json" | "md" | "html"): number {
  const found = findRun(name);
  const { live, state } = found;
  writeNote(describeChoice(found));
  const { runs, problem } = earlierRuns(state.run);
  if (problem !== undefined) writeAll(2, `loopdash: earlier runs are left out (${plainText(problem)})\n`);
  writeAll(1, RENDER[format](state, live, runs));
  return 0;
}

const RENDER: Readonly<Record<"text" | "json" | "md" | "html", typeof renderSummaryText>> = {
  text: renderSummaryText,
  json: (state, _, earlier) => `${JSON.stringify(reportOf(state, earlier), undefined, 2)}\n`,
  md: renderMarkdown,
  html: renderPage,
};
