import type { Ticket } from "../domain/batch/schema.ts";
import { outcomes } from "../domain/results/outcomes.ts";
import { landingOf } from "../domain/run/carry-over.ts";
import type { RunState } from "../domain/run/state.ts";
import type { TicketState } from "../domain/run/ticket-state.ts";
import { formatDuration } from "../domain/values/time.ts";
import { vecAt } from "../domain/values/vec.ts";
import { formatCents } from "../store/format.ts";
import { contractLabel } from "../store/labels/contract-label.ts";
import { phaseLabel } from "../store/labels/ticket-label.ts";
import { commitUrl, ticketUrl } from "../store/links.ts";
import { baseLines, earlierRunLabel, foundLabel } from "../store/results/summary.ts";
import { NOTHING } from "./format.ts";
import type { PageSection } from "./html.ts";
import { type Html, html, link } from "./html.ts";
import { keptWork } from "./outcome.ts";

/** Every ticket: its state, its cost and its commit. */
export function ticketsSection(state: RunState, live: boolean): PageSection {
  const why = new Map(outcomes(state).open.map((open) => [open.ticket.id, open.ticket.attempt?.waiting ?? open.why]));
  const rows = state.plan.tickets.map((spec, index) => {
    const ticket = vecAt(state.tickets, index);
    return row(spec, ticket, { why: why.get(spec.id), live, commit: commitCell(state, ticket) });
  });
  const body = html`<div class="scroll" role="region" aria-labelledby="tickets-h" tabindex="0"><table>
<thead><tr><th scope="col">State</th><th scope="col">Ticket</th><th scope="col">Waits for</th><th scope="col" class="n">Attempts</th><th scope="col" class="n">Time</th><th scope="col" class="n">Cost</th><th scope="col" class="sha">Commit</th></tr></thead>
<tbody>
${rows}</tbody></table></div>`;
  return { id: "tickets", title: "Tickets", note: String(rows.length), body };
}

function row(
  spec: Ticket,
  ticket: TicketState,
  { why, live, commit }: { readonly why: string | undefined; readonly live: boolean; readonly commit: Html | string },
): Html {
  const { id, title, repo, dependsOn } = spec;
  const contract = contractLabel(spec);
  const { glyph, word, tone } = phaseLabel(ticket, live);
  const attempts = ticket.history.length + (ticket.attempt === undefined ? 0 : 1);
  const settledBefore = attempts === 0 && ticket.phase === "done";
  return html`<tr><td class="state t-${tone}">${glyph} ${word}</td><th scope="row"><span class="id">${link(html`${id}`, ticketUrl(ticket))}</span> <bdi>${title}</bdi>${foundLabel(ticket)} <span class="repo">${repo}</span>${contract === undefined ? undefined : html` <span class="muted"><bdi>${contract}</bdi></span>`}${why === undefined ? undefined : html`<p class="muted"><bdi>${why}</bdi></p>`}${baseLines(ticket).map((line) => html`<p class="muted"><bdi>${line}</bdi></p>`)}${keptWork(ticket)}</th><td class="deps">${dependsOn.length === 0 ? NOTHING : dependsOn.join(", ")}</td><td class="n">${ticket.closedByPerson === "closed" ? "by a person" : settledBefore ? "before" : attempts}</td><td class="n">${timeOf(ticket)}</td><td class="n">${formatCents(ticket.costUsd)}</td><td class="sha">${commit}</td></tr>
`;
}

function commitCell(state: RunState, ticket: TicketState): Html | string {
  const landing = landingOf(ticket);
  if (landing === undefined) return NOTHING;
  const by = landing.earlierRun === undefined ? undefined : html` <span class="muted">${earlierRunLabel(landing).trim()}</span>`;
  return html`${link(html`<code>${landing.sha.slice(0, 10)}</code>`, commitUrl(state, ticket, landing.sha))}${by}`;
}

/** From the start of its first attempt to the end of its last. */
function timeOf({ history, attempt }: TicketState): string {
  const from = history[0]?.startedAt;
  const to = history.at(-1)?.endedAt;
  if (from === undefined || to === undefined) return NOTHING;
  return `${formatDuration(to - from)}${attempt === undefined ? "" : " +"}`;
}
