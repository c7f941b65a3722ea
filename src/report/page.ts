import type { JudgementRecord } from "../domain/results/judgements.ts";
import type { EarlierRun } from "../domain/results/trend.ts";
import type { RunState } from "../domain/run/state.ts";
import { headline } from "../store/labels/run-label.ts";
import { evidenceSection } from "./evidence.ts";
import { graphSection } from "./graph.ts";
import { healsSection } from "./heals.ts";
import { html } from "./html.ts";
import { ledgerSection } from "./ledger.ts";
import { openSection, top, yoursSection } from "./outcome.ts";
import { aboutSection, incidentsSection, interventionsSection, judgementsSection } from "./people.ts";
import { STYLE } from "./stylesheet.ts";
import { ticketsSection } from "./tickets.ts";
import { timelineSection } from "./timeline.ts";

/**
 * One page of HTML that reports a whole run to people who were not there. It is self-contained: no script, no font, no picture
 * and no request, and a policy in its head that refuses them. `earlier`: previous runs of the batch file, newest first.
 * `runUrl`: where the run's files are, for readers on its machine.
 */
export function renderPage(
  state: RunState,
  live = true,
  earlier: readonly EarlierRun[] = [],
  judgements: readonly JudgementRecord[] = [],
  runUrl?: string,
): string {
  const sections = [
    yoursSection(state),
    openSection(state),
    ticketsSection(state, live),
    timelineSection(state, live),
    graphSection(state, live),
    ledgerSection(state, earlier),
    healsSection(state),
    evidenceSection(state),
    incidentsSection(state),
    judgementsSection(judgements),
    interventionsSection(state),
    aboutSection(state, runUrl),
  ].filter((section) => section !== undefined);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="loopdash ${state.version}">
<title>${headline(state, live)}: ${state.batch.name}</title>
<style>${STYLE}</style>
</head>
<body>
${top(state, live)}
<nav aria-label="Sections"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<main>
${sections.map(
  ({ id, title, note, body }) => html`<section id="${id}" aria-labelledby="${id}-h">
<h2 id="${id}-h">${title}${note === undefined ? undefined : html` <small>${note}</small>`}</h2>
${body}
</section>
`,
)}</main>
</body>
</html>
`;
  return page.text;
}
