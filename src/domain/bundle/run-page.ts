import { escapeMarkdown } from "../values/markdown.ts";
import { fileTable } from "./attempt-page.ts";
import { BUNDLE_MD } from "./bundle.ts";
import type { RunBundle } from "./run-bundle.ts";

/** The `bundle.md` of a run, for people. */
export function runPage(bundle: RunBundle): string {
  const { run, batch, ended, verdict, why, journal, attempts, files, startedAt, endedAt } = bundle;
  const rows = attempts.map(({ ticket, attempt, outcome, bundle: list, why: reason }) => {
    const page = list === null ? escapeMarkdown(reason ?? "") : pageLink(list.path);
    return `| ${escapeMarkdown(ticket)} | ${attempt} | ${outcome} | ${page} |`;
  });
  const parts = [
    `# Run ${escapeMarkdown(run)}`,
    ended
      ? `Batch ${escapeMarkdown(batch)}, from ${startedAt} to ${endedAt ?? ""}. Verdict: **${verdict ?? ""}**. ${escapeMarkdown(why ?? "")}`
      : `Batch ${escapeMarkdown(batch)}, since ${startedAt}. The run goes on: nothing here is final.`,
    "## Attempts",
    attempts.length === 0
      ? "There was none."
      : ["| ticket | attempt | outcome | files |", "|---|---|---|---|", ...rows].join("\n"),
    "## Files of the run",
    fileTable(files),
    "## How to check it",
    `The journal has ${journal.rows} rows; the sha256 of the last one is \`${journal.head}\`. It names the sha256 of the list of each attempt, and each list that of its files. \`loopdash verify-journal\` checks all of it. The maker of this bundle could have cut rows from the end of the journal: compare the last row with the machine of the run.`,
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Ids of tickets are safe in a path. */
function pageLink(json: string): string {
  const page = json.replace(/(?<![^/])[^/]*$/, BUNDLE_MD);
  return `[${BUNDLE_MD}](${page})`;
}
