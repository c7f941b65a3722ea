import { type JudgementRecord, judgementRecords } from "../../domain/results/judgements.ts";
import { computeReport } from "../../domain/results/report.ts";
import type { EarlierRun } from "../../domain/results/trend.ts";
import type { RunState } from "../../domain/run/state.ts";
import { jsonText, plainText } from "../../domain/values/text.ts";
import { renderPage } from "../../report/page.ts";
import { renderMarkdown } from "../../store/results/summary.ts";
import { earlierRuns } from "../earlier-runs.ts";
import { describeChoice, findRun, withStore } from "../find-run.ts";
import { folderUrl } from "../links.ts";
import { writeAll, writeNote } from "../print.ts";
import { summaryForPrint } from "../printed-summary.ts";
import { runFolder, stateHome } from "../state-home.ts";

/** Prints the numbers of a run, from its journal alone, and the kept numbers of earlier runs. */
export function report(name: string | undefined, format: "text" | "json" | "md" | "html"): number {
  const found = findRun(name);
  const { live, state } = found;
  writeNote(describeChoice(found));
  const { runs, problem } = earlierRuns(state.run);
  if (problem !== undefined) writeAll(2, `loopdash: earlier runs are left out (${plainText(problem)})\n`);
  writeAll(1, RENDER[format](state, live, runs, judgementsOf(state)));
  return 0;
}

/** The judgements of a run's journal: its state keeps the last of them only. */
function judgementsOf({ run, oracleSha }: RunState): readonly JudgementRecord[] {
  return withStore((store) => judgementRecords(store.openForReading(run).read(), oracleSha));
}

/** Where the run's files are on this machine, for a page that is opened on it. */
function pageUrl({ run }: RunState): string | undefined {
  return folderUrl(runFolder(stateHome(process.env, process.cwd()), run), "");
}

type Render = (state: RunState, live: boolean, earlier: readonly EarlierRun[], judgements: readonly JudgementRecord[]) => string;

const RENDER: Readonly<Record<"text" | "json" | "md" | "html", Render>> = {
  text: summaryForPrint,
  json: (state, _, earlier, judgements) => jsonText(computeReport(state, earlier, judgements), 2),
  md: renderMarkdown,
  html: (state, live, earlier, judgements) => renderPage(state, live, earlier, judgements, pageUrl(state)),
};
