import type { Evidence } from "../domain/run/attempt-fact.ts";
import type { RunState } from "../domain/run/state.ts";
import type { PastAttempt, TicketState } from "../domain/run/ticket-state.ts";
import { specOf } from "../domain/schedule/plan.ts";
import { plural } from "../domain/values/plural.ts";
import { plainLines } from "../domain/values/text.ts";
import { formatDuration } from "../domain/values/time.ts";
import { vecItems } from "../domain/values/vec.ts";
import { formatCents } from "../store/format.ts";
import { attemptEnd, outcomeLabel } from "../store/labels/outcome-label.ts";
import { STYLES } from "../store/labels/tone.ts";
import type { PageSection } from "./html.ts";
import { type Html, html, lines, mark } from "./html.ts";

/** Lines and characters per piece of evidence on a page; the rest is counted. */
const MOST_LINES = 120;
const MOST_COLUMNS = 400;

/** Failed attempts with their evidence, collapsed by ticket. */
export function evidenceSection(state: RunState): PageSection | undefined {
  const failed = [...vecItems(state.tickets)].filter(
    ({ history, evidence }) => evidence.length > 0 || history.some(({ outcome }) => outcome !== "done"),
  );
  if (failed.length === 0) return undefined;
  const body = html`${failed.map((ticket) => ofTicket(state, ticket))}`;
  return { id: "evidence", title: "Evidence of failed attempts", note: plural(failed.length, "ticket"), body };
}

function ofTicket(state: RunState, ticket: TicketState): Html {
  const { id, history, evidence, phase } = ticket;
  const title = specOf(state.plan, id).title;
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
