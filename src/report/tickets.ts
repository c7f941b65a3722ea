import { builtText } from "../domain/results/built.ts";
import { computeLedger } from "../domain/results/ledger.ts";
import { outcomes } from "../domain/results/outcomes.ts";
import { findLanding } from "../domain/run/carry-over.ts";
import type { RunState } from "../domain/run/state.ts";
import type { TicketState } from "../domain/run/ticket-state.ts";
import { keptWorkLines } from "../domain/run/work-to-keep.ts";
import { plannedTicket } from "../domain/schedule/plan.ts";
import { plural } from "../domain/values/text.ts";
import { formatDuration, utcTime } from "../domain/values/time.ts";
import { formatCents } from "../store/format.ts";
import { headline, runTone } from "../store/labels/run-label.ts";
import { STYLES } from "../store/labels/tone.ts";
import { commitUrl, ticketUrl } from "../store/links.ts";
import { foundLabel, landedLines, openStyle } from "../store/results/summary.ts";
import { percent } from "./format.ts";
import { type Html, html, link, mark, type PageSection } from "./html.ts";

/** The outcome of the run at a glance. */
export function top(state: RunState, live: boolean): Html {
  const { tickets, elapsedMs, costUsd, interventions: i, attempts, claims } = computeLedger(state);
  const facts: readonly (readonly [string, string, string])[] = [
    ["done", String(tickets.done), `of ${plural(tickets.total, "ticket")}`],
    ["yours", String(tickets.gated), "left to a person"],
    ["open", String(tickets.open), "not done"],
    ["time", formatDuration(elapsedMs), `${plural(attempts, "attempt")}`],
    ["cost", formatCents(costUsd), `cap ${formatCents(state.batch.limits.usdPerRun)}`],
    ["interventions", String(i.total), `${i.work} work, ${i.harness} harness`],
    ["claims of done", String(claims.made), `${claims.upheld} upheld, ${claims.gap} refuted`],
  ];
  return html`<header class="top ${runTone(state)}">
<p class="kicker">loopdash report · run <code>${state.run}</code> · ${utcTime(state.startedAt)} UTC</p>
<h1><span class="verdict">${headline(state, live)}</span> <bdi class="batch">${state.batch.name}</bdi></h1>
<p class="reason">${state.end === undefined ? standing(state, live) : html`<bdi>${state.end.reason}</bdi>`}</p>
${state.sandboxed ? undefined : html`<p class="warn"><b>! Unsandboxed:</b> agents and checks ran with the user’s rights.</p>`}
${bar(state)}
<dl class="facts">${facts.map(([name, value, note]) => html`<div><dt>${name}</dt><dd><b>${value}</b> <span>${note}</span></dd></div>`)}</dl>
</header>`;
}

/** The state of a run without an end: nothing here is a verdict. */
function standing(state: RunState, live: boolean): Html {
  const goes = live ? "The run continues" : "The run has not ended, and no engine is at work on it";
  return html`${goes}: this page shows it as it stood at ${utcTime(state.lastEventAt)} UTC, event ${state.seq}. Nothing here is final.`;
}

/** The shares of shipped, human-gated and open tickets; by the oracle's own counts if it has judged. */
function bar(state: RunState): Html {
  const { last } = state.oracle;
  const { tickets } = computeLedger(state);
  const counts = last?.counts ?? { done: tickets.done, gated: tickets.gated, open: tickets.open };
  const total = Math.max(1, counts.done + counts.gated + counts.open);
  const words = `${counts.done} done, ${counts.gated} left to a person, ${counts.open} open`;
  const said = last === undefined ? "The oracle has not judged yet" : `The oracle: ${last.verdict}, ${utcTime(last.at)} UTC`;
  const [done, gated] = [counts.done / total, (counts.done + counts.gated) / total];
  return html`<figure class="oracle"><svg role="img" aria-label="${words}" width="100%" height="14">
<rect class="f-waiting" width="100%" height="14" rx="4"/>${counts.gated === 0 ? undefined : html`<rect class="f-person" x="${percent(done)}" width="${percent(gated - done)}" height="14"/>`}${counts.done === 0 ? undefined : html`<rect class="f-good" width="${percent(done)}" height="14" rx="4"/>`}
</svg><figcaption><b class="t-oracle">${STYLES.oracle.glyph} ${said}</b> <span>${words}</span></figcaption></figure>`;
}

/** The steps for people, verbatim and easy to copy. */
export function yoursSection(state: RunState): PageSection | undefined {
  const { gated } = outcomes(state);
  if (gated.length === 0) return undefined;
  const items = gated.map(
    (ticket) => html`<li><h3>${mark(STYLES.needsYou)} ${name(state, ticket)}</h3>
${ticket.humanStep === undefined ? html`<p class="muted">no step was recorded</p>` : html`<pre class="step">${ticket.humanStep}</pre>`}
${builtLine(state, ticket)}${keptWork(ticket)}</li>`,
  );
  return { id: "yours", title: "Yours now", note: String(gated.length), body: html`<ul class="cards">${items}</ul>` };
}

function builtLine(state: RunState, ticket: TicketState): Html {
  const landing = findLanding(ticket);
  const text = builtText(ticket, plannedTicket(state.plan, ticket.id));
  const url = landing === undefined ? undefined : commitUrl(state, ticket, landing.sha);
  return html`<p class="muted">${link(html`<bdi>${text}</bdi>`, url)}</p>`;
}

/** The open tickets with reasons; while a run continues, the table of tickets shows them. */
export function openSection(state: RunState): PageSection | undefined {
  const { open } = outcomes(state);
  if (open.length === 0 || state.end === undefined) return undefined;
  const items = open.map(
    ({ ticket, why }) =>
      html`<li>${mark(openStyle(ticket, state))} ${name(state, ticket)}<p><bdi>${why}</bdi></p>${landedBlock(landedLines(state, ticket))}${keptWork(ticket)}</li>`,
  );
  return { id: "open", title: "Not done", note: String(open.length), body: html`<ul class="plain">${items}</ul>` };
}

/** The branches with the work of cut-off attempts. */
export function keptWork(ticket: TicketState): Html {
  return html`${keptWorkLines(ticket).map((line) => html`<p class="muted"><bdi>${line}</bdi></p>`)}`;
}

/** A landed change that is not live. */
function landedBlock(lines: readonly string[]): Html | undefined {
  return lines.length === 0 ? undefined : html`<pre class="step">${lines.join("\n")}</pre>`;
}

function name(state: RunState, ticket: TicketState): Html {
  const title = plannedTicket(state.plan, ticket.id).title;
  return html`<b class="id">${link(html`${ticket.id}`, ticketUrl(ticket))}</b> <bdi>${title}</bdi>${foundLabel(ticket)}`;
}
