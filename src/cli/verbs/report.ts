import { reportOf } from "../../domain/report.ts";
import { renderMarkdown, renderSummaryText } from "../../domain/summary.ts";
import { findRun } from "../find-run.ts";
import { writeAll } from "../print.ts";

/** Prints the numbers of a run, from its journal alone. */
export function report(name: string | undefined, format: "text" | "json" | "md"): number {
  const { live, state } = findRun(name);
  if (format === "json") writeAll(1, `${JSON.stringify(reportOf(state), undefined, 2)}\n`);
  else if (format === "md") writeAll(1, renderMarkdown(state, live));
  else writeAll(1, renderSummaryText(state, live));
  return 0;
}
