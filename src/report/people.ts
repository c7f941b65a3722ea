import { interventionKind } from "../domain/results/intervention.ts";
import type { JudgementRecord } from "../domain/results/judgements.ts";
import { ticketsFrom } from "../domain/results/linked-tickets.ts";
import type { RunState } from "../domain/run/state.ts";
import { utcTime } from "../domain/values/time.ts";
import { incidentLines } from "../store/results/incident-lines.ts";
import { judgementLines } from "../store/results/judgement-lines.ts";
import type { PageSection } from "./html.ts";
import { type Html, html, link } from "./html.ts";

/** People's interventions in the run. */
export function interventionsSection(state: RunState): PageSection {
  const { interventions } = state;
  const title = "Interventions";
  if (interventions.length === 0) return { id: "people", title, note: "0", body: html`<p>Nobody touched this run.</p>` };
  const rows = interventions.map((each) => {
    const { at, class: c, target, note } = each;
    const became = ticketsFrom(state, each);
    return html`<tr><td>${utcTime(at)}</td><td>${c} ${interventionKind(c)}</td><td><bdi>${target}</bdi></td><td><bdi>${note}</bdi>${became.length === 0 ? undefined : html` <span class="muted">became</span> ${became.map((id) => html`<b class="id">${id}</b> `)}`}</td></tr>
`;
  });
  const body = html`<div class="scroll" role="region" aria-labelledby="people-h" tabindex="0"><table><thead><tr><th scope="col">When (UTC)</th><th scope="col">Class</th><th scope="col">What</th><th scope="col">Note</th></tr></thead><tbody>
${rows}</tbody></table></div>`;
  return { id: "people", title, note: String(interventions.length), body };
}

/** What went wrong after a landing, and for how long. */
export function incidentsSection(state: RunState): PageSection | undefined {
  const lines = incidentLines(state);
  if (lines.length === 0) return undefined;
  const items = lines.map(
    (line) => html`<li><bdi>${line}</bdi></li>
`,
  );
  return { id: "incidents", title: "Incidents", note: String(lines.length), body: html`<ul class="plain">${items}</ul>` };
}

/** Every judgement of the oracle, as far as a page can list them. */
export function judgementsSection(judgements: readonly JudgementRecord[]): PageSection | undefined {
  if (judgements.length === 0) return undefined;
  const items = judgementLines(judgements).map(
    (line) => html`<li><bdi>${line}</bdi></li>
`,
  );
  return {
    id: "judgements",
    title: "Judgements of the oracle",
    note: String(judgements.length),
    body: html`<ul class="plain">${items}</ul>`,
  };
}

/** The purpose of this page, and the oracle that judged the run. */
export function aboutSection(state: RunState, runUrl: string | undefined): PageSection {
  const { run, version, startedAt, end, seq, lastEventAt, oracleSha, batchSha, oracle, tripwire, sandboxed, resumes } = state;
  const facts: readonly (readonly [string, Html | string])[] = [
    ["run", link(html`${run}`, runUrl)],
    ["batch file", state.batchPath],
    ["began", `${utcTime(startedAt)} UTC`],
    ["ended", end === undefined ? "not yet" : `${utcTime(end.at)} UTC, exit code ${end.exitCode}`],
    ["shown as of", `event ${seq}, ${utcTime(lastEventAt)} UTC`],
    ["oracle asked", String(oracle.judged)],
    ["tripwire", `${tripwire.status}${tripwire.canaries > 0 ? `, ${tripwire.canaries} canaries` : ""}`],
    ["sandbox", sandboxed ? "on" : "off"],
    ["engines", String(resumes + 1)],
    ["oracle’s bytes", oracleSha],
    ["frozen batch", batchSha],
    ["loopdash", version],
  ];
  const body = html`<dl class="about">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>
<p class="muted">Made from the run’s journal alone. This page loads nothing and runs no script.</p>`;
  return { id: "about", title: "About this run", body };
}
