import { computeTrend, type EarlierRun, type TrendPoint } from "../domain/results/trend.ts";
import type { RunState } from "../domain/run/state.ts";
import { utcTime } from "../domain/values/time.ts";
import { STYLES } from "../store/labels/tone.ts";
import { type LedgerRow, type LedgerTable, ledgerTable } from "../store/results/ledger-table.ts";
import { pointCostUsd, pointInterventions } from "../store/results/trend-text.ts";
import type { PageSection } from "./html.ts";
import { type Html, html } from "./html.ts";

/** The numbers of this run, beside those of earlier runs of its batch file. */
export function ledgerSection(state: RunState, earlier: readonly EarlierRun[]): PageSection {
  const { groups, against, whyNone } = ledgerTable(state, earlier);
  const now = state.end === undefined ? "so far" : "this run";
  const first = html`<p class="muted">This is the first run of its batch file: there is none to hold it against.</p>`;
  const body = html`${earlier.length === 0 ? first : trend(computeTrend(state, earlier))}
${whyNone === undefined ? undefined : html`<p class="muted">${sentence(whyNone)}.</p>`}
${earlier.length === 0 ? alone(groups, now) : beside(groups, now, earlier, against)}
<p class="muted">An intervention is an input by a person, after the run began, that changed the run, its harness, a repository or the instructions. “–” is not known. Only complete runs are compared: one that was left early keeps every number low.</p>`;
  return { id: "ledger", title: "Numbers", note: earlier.length === 0 ? "of this run" : "beside earlier runs", body };
}

type Groups = LedgerTable["groups"];

/** One small table per group, side by side. */
function alone(groups: Groups, now: string): Html {
  const tables = groups.map(
    ({
      title,
      rows,
    }) => html`<table><thead><tr><th scope="col">${title}</th><th scope="col" class="n">${now}</th></tr></thead><tbody>
${rows.map((row) => rowOf(row, false))}</tbody></table>
`,
  );
  return html`<div class="groups">${tables}</div>`;
}

/** One table with a column for each earlier run. */
function beside(groups: Groups, now: string, earlier: readonly EarlierRun[], against: EarlierRun | undefined): Html {
  const changes = against !== undefined;
  const columns = 2 + Number(changes) + earlier.length;
  const change = changes ? html`<th scope="col" class="n">change since ${day(against)}</th>` : undefined;
  const runs = earlier.map((run) => html`<th scope="col" class="n">${day(run)}<br>${mark(run)}</th>`);
  const bodies = groups.map(
    ({ title, rows }) => html`<tbody><tr><th scope="rowgroup" class="group" colspan="${columns}">${title}</th></tr>
${rows.map((row) => rowOf(row, changes))}</tbody>
`,
  );
  return html`<div class="scroll" role="region" aria-labelledby="ledger-h" tabindex="0"><table class="ledger">
<thead><tr><th scope="col">Number</th><th scope="col" class="n now">${now}</th>${change}${runs}</tr></thead>
${bodies}</table></div>`;
}

function rowOf({ name, now, change, earlier }: LedgerRow, changes: boolean): Html {
  const good = change?.good;
  const tone = good === undefined ? "muted" : good ? "t-good" : "t-bad";
  const word = good === undefined ? "" : good ? " better" : " worse";
  return html`<tr><th scope="row">${name}</th><td class="n now">${now}</td>${changes ? html`<td class="n ${tone}">${change === undefined ? "" : `${change.text}${word}`}</td>` : undefined}${earlier.map((text) => html`<td class="n muted">${text}</td>`)}</tr>
`;
}

function day({ startedAt }: EarlierRun): string {
  return utcTime(startedAt).slice(5, 16);
}

function mark({ verdict, sameBatch }: EarlierRun): Html {
  const label =
    verdict === "done"
      ? html`<span class="t-good">${STYLES.done.glyph} done</span>`
      : html`<span class="t-bad">${STYLES.failed.glyph} not complete</span>`;
  return sameBatch ? label : html`${label}<br><span class="muted">other batch</span>`;
}

/** Two rows of bars, oldest run first. */
function trend(points: readonly TrendPoint[]): Html {
  return html`<div class="trends">${bars("interventions", points, pointInterventions, 0)}${bars("cost, $", points, pointCostUsd, 2)}</div>`;
}

const [STEP, HIGH] = [46, 56];

function bars(name: string, points: readonly TrendPoint[], options: (point: TrendPoint) => number | null, digits: number): Html {
  const most = Math.max(1e-9, ...points.map((point) => options(point) ?? 0));
  const words = points.map((point) => {
    const value = options(point);
    return `${value === null ? "not known" : value.toFixed(digits)}${point.complete ? "" : " (not complete)"}`;
  });
  const drawn = points.map((point, i) => {
    const value = options(point);
    const height = value === null ? 0 : Math.max(2, (value / most) * HIGH);
    const text = value === null ? "?" : value.toFixed(digits);
    const kind = point.complete ? (i === points.length - 1 ? "f-running" : "f-past") : "hollow";
    return html`<rect class="${kind}" x="${i * STEP + 6.5}" y="${HIGH + 18 - height}" width="${STEP - 14}" height="${height}" rx="2"/><text class="tick" text-anchor="middle" x="${i * STEP + STEP / 2}" y="${HIGH + 12 - height}">${text}${point.complete ? "" : "×"}</text>`;
  });
  const width = points.length * STEP;
  return html`<figure><svg role="img" aria-label="${name}, oldest run first: ${words.join(", ")}" viewBox="0 0 ${width} ${HIGH + 20}" width="${width}" height="${HIGH + 20}">${drawn}</svg><figcaption>${name} <span class="muted">oldest first; × hollow: not complete</span></figcaption></figure>`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
