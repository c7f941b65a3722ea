import type { Ticket } from "../domain/batch/schema.ts";
import { listHealResults } from "../domain/results/heal-results.ts";
import type { JudgementRecord } from "../domain/results/judgements.ts";
import { outcomes } from "../domain/results/outcomes.ts";
import type { EarlierRun } from "../domain/results/trend.ts";
import type { Evidence } from "../domain/run/attempt-fact.ts";
import { findLanding } from "../domain/run/carry-over.ts";
import type { RunState } from "../domain/run/state.ts";
import type { PastAttempt, TicketState } from "../domain/run/ticket-state.ts";
import { ticketUsd } from "../domain/schedule/money.ts";
import { plannedTicket } from "../domain/schedule/plan.ts";
import { plainLines, plural } from "../domain/values/text.ts";
import { formatDuration } from "../domain/values/time.ts";
import { vecAt, vecItems } from "../domain/values/vec.ts";
import { formatCents } from "../store/format.ts";
import { contractLabel } from "../store/labels/contract-label.ts";
import { headline } from "../store/labels/run-label.ts";
import { phaseLabel } from "../store/labels/ticket-label.ts";
import { attemptEnd, type Label, outcomeLabel, STYLES } from "../store/labels/tone.ts";
import { commitUrl, ticketUrl } from "../store/links.ts";
import { healDetails, healSummary } from "../store/results/heal-lines.ts";
import { landedCommands, landedSizeText } from "../store/results/landed-lines.ts";
import { baseLines, earlierRunLabel, foundLabel, pullRequestLines } from "../store/results/summary.ts";
import { runSpan } from "../store/results/timeline-cells.ts";
import { NOTHING, percent } from "./format.ts";
import { graphSection } from "./graph.ts";
import { type Html, html, lines, link, mark, type PageSection } from "./html.ts";
import { ledgerSection } from "./ledger.ts";
import { aboutSection, incidentsSection, interventionsSection, judgementsSection } from "./people.ts";
import { STYLE } from "./stylesheet.ts";
import { keptWork, openSection, top, yoursSection } from "./tickets.ts";

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
    landedSection(state),
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

/** The heals of a run: their diagnosis, whether they moved their stall, and what later runs have of them. */
function healsSection(state: RunState): PageSection | undefined {
  const results = listHealResults(state);
  if (results.length === 0) return undefined;
  const items = results.map(
    (heal) => html`<li><h3>heal ${heal.n}: ${heal.outcome}${heal.repo === null ? "" : `, ${heal.repo}`}</h3>
${(heal.kind === null ? [heal.why] : healDetails(heal)).map((line) => html`<p><bdi>${line}</bdi></p>`)}</li>`,
  );
  const rest = healSummary(state).slice(results.length);
  const body = html`<ul class="cards">${items}</ul>
${rest.map((line) => html`<p><bdi>${line}</bdi></p>`)}`;
  return { id: "heals", title: "Heals", note: plural(results.length, "repair", "repairs"), body };
}

/** Lines and characters per piece of evidence on a page; the rest is counted. */
const MOST_LINES = 120;
const MOST_COLUMNS = 400;

/** Failed attempts with their evidence, collapsed by ticket. */
function evidenceSection(state: RunState): PageSection | undefined {
  const failed = [...vecItems(state.tickets)].filter(
    ({ history, evidence }) => evidence.length > 0 || history.some(({ outcome }) => outcome !== "done"),
  );
  if (failed.length === 0) return undefined;
  const body = html`${failed.map((ticket) => ofTicket(state, ticket))}`;
  return { id: "evidence", title: "Evidence of failed attempts", note: plural(failed.length, "ticket"), body };
}

function ofTicket(state: RunState, ticket: TicketState): Html {
  const { id, history, evidence, phase } = ticket;
  const title = plannedTicket(state.plan, id).title;
  const end = phase === "done" ? "shipped in the end" : phase === "human-gated" ? "left to a person" : "not done";
  return html`<details><summary><b class="id">${id}</b> <bdi>${title}</bdi> <span class="muted">${plural(history.length, "attempt")}, ${end}</span></summary>
${history.length === 0 ? undefined : html`<ol class="attempts">${history.map((past) => attemptItem(ticket, past))}</ol>`}
${evidence.map(pieceOf)}</details>
`;
}

function attemptItem(ticket: TicketState, past: PastAttempt): Html {
  const { startedAt, endedAt, costUsd, summary, claimed } = past;
  const { glyph, word, tone } = outcomeLabel(attemptEnd(ticket, past), false);
  return html`<li><span class="t-${tone}">${glyph} ${word}</span> <span class="muted">${formatDuration(endedAt - startedAt)} · ${formatCents(costUsd)}${claimed ? " · its worker claimed to be done" : ""}</span>${summary === "" ? undefined : html`<br><bdi>${summary}</bdi>`}</li>`;
}

function pieceOf({ step, name, summary, detail }: Evidence): Html {
  const text = plainLines(detail, { maxLines: MOST_LINES, maxLength: MOST_COLUMNS });
  const what = name === step ? step : `${step} ${name}`;
  return html`<h3>${mark(STYLES.failed)} ${what}: <bdi>${summary}</bdi></h3>${text.length === 0 ? undefined : html`<pre tabindex="0">${lines(text)}</pre>`}
`;
}

/** Pixels of a ticket's row, and of its bars. */
const ROW = 24;
const BAR = 14;
const AXIS = 22;

/** The attempts at each ticket over time, and the end of each. */
function timelineSection(state: RunState, live: boolean): PageSection | undefined {
  const tried = [...vecItems(state.tickets)].filter(({ history, attempt }) => history.length > 0 || attempt !== undefined);
  if (tried.length === 0) return undefined;
  const { from, to } = runSpan(state);
  const share = (at: number): number => Math.min(1, Math.max(0, (at - from) / (to - from)));
  const height = tried.length * ROW + AXIS;
  const names = Math.max(...tried.map(({ id }) => id.length)) * 8 + 8;
  const label = `Timeline: the attempts at ${plural(tried.length, "ticket")} over ${formatDuration(to - from)}. The table of tickets has the same in words.`;
  const body = html`<div class="timeline"><svg class="names" aria-hidden="true" width="${names}" height="${height}">
${tried.map(({ id }, y) => html`<text x="0" y="${y * ROW + 15}">${id}</text>`)}
</svg><svg class="plot" role="img" aria-label="${label}" width="100%" height="${height}">
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="f-bad" width="6" height="6"/><rect class="hatch" width="2" height="6"/></pattern></defs>
${ticks(to - from).map((at) => axis(at, at / (to - from), height))}
<text class="tick" text-anchor="end" x="100%" y="${height - 6}">${formatDuration(to - from)}</text>
${tried.map((ticket, y) => timeBars(ticket, { y: y * ROW + 4, share, to, live }))}
</svg></div>
<p class="legend"><span><i class="k f-good"></i> ${STYLES.done.glyph} shipped</span> <span><i class="k k-bad"></i> ${STYLES.failed.glyph} failed or killed</span> <span><i class="k f-person"></i> ${STYLES.needsYou.glyph} left to a person</span> <span><i class="k f-waiting"></i> ${STYLES.cutOff.glyph} stopped</span> <span><i class="k f-running"></i> ${STYLES.agent.glyph} at work</span> <span><i class="k k-line"></i> on the finish line</span></p>`;
  return { id: "timeline", title: "Timeline", note: "attempts by ticket", body };
}

interface BarOptions {
  readonly y: number;
  readonly share: (at: number) => number;
  readonly to: number;
  readonly live: boolean;
}

function timeBars(ticket: TicketState, { y, share, to, live }: BarOptions): readonly Html[] {
  const { id, history, attempt } = ticket;
  const bar = (n: number, [from, left, end]: readonly [number, number, number], { word, tone }: Label): Html => {
    const [x, middle] = [share(from), share(left)];
    const title = `${id}, attempt ${n}: ${word}, ${formatDuration(end - from)}`;
    const line = share(end) - middle;
    return html`<g><title>${title}</title><rect class="bar ${tone === "bad" ? "b-bad" : `f-${tone}`}" x="${percent(x)}" y="${y}" width="${percent(Math.max(0.0015, middle - x))}" height="${BAR}" rx="3"/>${line <= 0.0015 ? undefined : html`<rect class="f-${tone} line" x="${percent(middle)}" y="${y + BAR - 3}" width="${percent(line)}" height="3"/>`}</g>
`;
  };
  const past = history.map((one) =>
    bar(one.n, [one.startedAt, one.slotLeftAt, one.endedAt], outcomeLabel(attemptEnd(ticket, one), live)),
  );
  if (attempt === undefined) return past;
  return [...past, bar(attempt.n, [attempt.startedAt, attempt.slotLeftAt ?? to, to], outcomeLabel(undefined, live))];
}

function axis(at: number, x: number, height: number): Html {
  return html`<line class="grid" x1="${percent(x)}" x2="${percent(x)}" y1="0" y2="${height - AXIS}"/><text class="tick" x="${percent(x)}" y="${height - 6}">${at === 0 ? "0" : formatDuration(at)}</text>
`;
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 43_200, 86_400];

/**
 * At most five times, in milliseconds from the start, at round steps; none so near the end that its label would overflow the
 * plot.
 */
function ticks(ms: number): readonly number[] {
  const step = (STEPS.find((s) => ms / (s * 1000) <= 5) ?? Math.ceil(ms / 5 / 86_400_000) * 86_400) * 1000;
  const all = Array.from({ length: Math.floor(ms / step) + 1 }, (_, i) => i * step);
  return all.filter((at) => at <= ms * 0.78);
}

/** Every ticket: its state, its cost and its commit. */
function ticketsSection(state: RunState, live: boolean): PageSection {
  const why = new Map(outcomes(state).open.map((open) => [open.ticket.id, open.ticket.attempt?.waiting ?? open.why]));
  const rows = state.plan.tickets.map((spec, index) => {
    const ticket = vecAt(state.tickets, index);
    return row(spec, ticket, { state, why: why.get(spec.id), live, commit: commitCell(state, ticket) });
  });
  const body = html`<div class="scroll" role="region" aria-labelledby="tickets-h" tabindex="0"><table>
<thead><tr><th scope="col">State</th><th scope="col">Ticket</th><th scope="col">Waits for</th><th scope="col" class="n">Attempts</th><th scope="col" class="n">Time</th><th scope="col" class="n">Cost</th><th scope="col" class="sha">Commit</th></tr></thead>
<tbody>
${rows}</tbody></table></div>`;
  return { id: "tickets", title: "Tickets", note: String(rows.length), body };
}

/** The commands that show what the run has landed, and those that take it back. */
function landedSection(state: RunState): PageSection | undefined {
  const commands = landedCommands(state);
  if (commands.length === 0) return undefined;
  return { id: "landed", title: "Landed", body: html`<pre class="step">${commands.join("\n")}</pre>` };
}

interface RowFacts {
  readonly state: RunState;
  readonly why: string | undefined;
  readonly live: boolean;
  readonly commit: Html | string;
}

function row(spec: Ticket, ticket: TicketState, { state, why, live, commit }: RowFacts): Html {
  const { id, title, repo, dependsOn } = spec;
  const contract = contractLabel(spec);
  const { glyph, word, tone } = phaseLabel(ticket, live);
  const attempts = ticket.history.length + (ticket.attempt === undefined ? 0 : 1);
  const settledBefore = attempts === 0 && ticket.phase === "done";
  return html`<tr><td class="state t-${tone}">${glyph} ${word}</td><th scope="row"><span class="id">${link(html`${id}`, ticketUrl(ticket))}</span> <bdi>${title}</bdi>${foundLabel(ticket)} <span class="repo">${repo}</span>${contract === undefined ? undefined : html` <span class="muted"><bdi>${contract}</bdi></span>`}${why === undefined ? undefined : html`<p class="muted"><bdi>${why}</bdi></p>`}${baseLines(ticket).map((line) => html`<p class="muted"><bdi>${line}</bdi></p>`)}${pullRequestRow(state, ticket)}${keptWork(ticket)}</th><td class="deps">${dependsOn.length === 0 ? NOTHING : dependsOn.join(", ")}</td><td class="n">${ticket.closedByPerson === "closed" ? "by a person" : settledBefore ? "before" : attempts}</td><td class="n">${timeOf(ticket)}</td><td class="n">${formatCents(ticketUsd(ticket))}</td><td class="sha">${commit}</td></tr>
`;
}

/** The pull request of a ticket with its page, as it was read last. */
function pullRequestRow(state: RunState, ticket: TicketState): Html | undefined {
  const [line] = pullRequestLines(state, ticket);
  return line === undefined ? undefined : html`<p class="muted">${link(html`<bdi>${line}</bdi>`, ticket.pullRequest?.url)}</p>`;
}

function commitCell(state: RunState, ticket: TicketState): Html | string {
  const landing = findLanding(ticket);
  if (landing === undefined) return NOTHING;
  const size = landedSizeText(ticket);
  const sized = size === "" ? undefined : html`<p class="muted">${size}</p>`;
  const by = landing.earlierRun === undefined ? undefined : html` <span class="muted">${earlierRunLabel(landing).trim()}</span>`;
  return html`${link(html`<code>${landing.sha.slice(0, 10)}</code>`, commitUrl(state, ticket, landing.sha))}${by}${sized}`;
}

/** From the start of its first attempt to the end of its last. */
function timeOf({ history, attempt }: TicketState): string {
  const from = history[0]?.startedAt;
  const to = history.at(-1)?.endedAt;
  if (from === undefined || to === undefined) return NOTHING;
  return `${formatDuration(to - from)}${attempt === undefined ? "" : " +"}`;
}
