import { awaitsApproval } from "../../domain/run/approval.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import { plural } from "../../domain/values/text.ts";
import { formatDuration } from "../../domain/values/time.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { attemptEnd, outcomeLabel, STYLES, type Style, type Tone } from "../labels/tone.ts";
import { causeWords } from "./outcome-lines.ts";

/** The cells of a ticket's time: an agent at work, its finish line, and a wait for a person. */
export const TIME_FILLS = { agent: "━", checks: "░", person: "╌" } as const;

/** A stretch of a ticket's time. Milliseconds since the epoch; without an end it goes on. */
export interface TimeStretch {
  readonly part: keyof typeof TIME_FILLS;
  readonly from: number;
  readonly to?: number;
  readonly tone: Tone;
}

/** A sign for an event of a ticket, at its time. */
interface TimeMark extends Style {
  readonly at: number;
}

/** A ticket's time: its stretches, and the marks on them. */
interface TicketTime {
  readonly stretches: readonly TimeStretch[];
  readonly marks: readonly TimeMark[];
}

/** The span of the run so far, in milliseconds since the epoch. */
export function runSpan({ startedAt, end, lastEventAt }: RunState): { readonly from: number; readonly to: number } {
  return { from: startedAt, to: Math.max(startedAt + 1, end?.at ?? lastEventAt) };
}

/** The time of a ticket. `heldSince`: since when nothing runs, because the journal cannot be written. */
export function ticketTime(ticket: TicketState, heldSince?: number): TicketTime {
  const { history, attempt } = ticket;
  const stretches: TimeStretch[] = [];
  const marks: TimeMark[] = [];
  history.forEach((past, i) => {
    const { startedAt, slotLeftAt, endedAt } = past;
    const end = attemptEnd(ticket, past);
    const { glyph, tone } = outcomeLabel(past.outcome === "landed" ? "landed" : end, true);
    stretches.push({ part: "agent", from: startedAt, to: slotLeftAt, tone: tone === "bad" ? "waiting" : tone });
    if (endedAt > slotLeftAt) stretches.push({ part: "checks", from: slotLeftAt, to: endedAt, tone: "waiting" });
    const waited = end === "awaits-approval" || end === "awaited-approval" || end === "gated";
    if (waited)
      stretches.push({ part: "person", from: endedAt, to: history[i + 1]?.startedAt ?? waitEnd(ticket), tone: "person" });
    marks.push({ at: endedAt, glyph: waited ? STYLES.needsYou.glyph : glyph, tone: waited ? "person" : tone });
  });
  const later = afterAttempts(ticket);
  stretches.push(...later.stretches);
  marks.push(...later.marks);
  if (attempt === undefined) return { stretches, marks };
  const { startedAt, slotLeftAt } = attempt;
  const held = heldSince === undefined ? {} : { to: heldSince };
  stretches.push({
    part: "agent",
    from: startedAt,
    tone: "running",
    ...held,
    ...(slotLeftAt !== undefined && { to: slotLeftAt }),
  });
  if (slotLeftAt !== undefined) stretches.push({ part: "checks", from: slotLeftAt, tone: "running", ...held });
  if (heldSince !== undefined) marks.push({ at: heldSince, ...STYLES.heldUp });
  return { stretches, marks };
}

/** The time after a landing, or that of a ticket without any attempt. */
function afterAttempts({ history, attempt, endedAt, live, reverted, phase }: TicketState): TicketTime {
  const stretches: TimeStretch[] = [];
  const marks: TimeMark[] = [];
  const liveAt = live?.history.at(-1)?.at;
  const landed = history.find(({ n }) => n === live?.attempt);
  if (live !== undefined && landed !== undefined)
    stretches.push({ part: "checks", from: landed.endedAt, to: liveAt ?? landed.endedAt, tone: "waiting" });
  if (phase === "done" && liveAt !== undefined) marks.push({ at: liveAt, ...STYLES.done });
  if (reverted !== undefined) marks.push({ at: reverted.at, ...STYLES.again });
  if (history.length === 0 && attempt === undefined && endedAt !== undefined) {
    marks.push({ at: endedAt, ...(phase === "done" ? STYLES.done : STYLES.needsYou) });
    if (phase !== "done") stretches.push({ part: "person", from: endedAt, tone: "person" });
  }
  return { stretches, marks };
}

/** The end of the wait for a person after the last attempt: none while the ticket waits. */
function waitEnd(ticket: TicketState): number | undefined {
  if (awaitsApproval(ticket) || ticket.phase === "human-gated") return undefined;
  return ticket.attempt?.startedAt ?? ticket.endedAt;
}

/** A cell of a ticket's row. */
interface TimeCell {
  readonly text: string;
  readonly tone?: Tone;
}

/** Draws a ticket's time into so many cells. `column` maps a time to its cell, which may be out of sight. */
export function timeCells(
  { stretches, marks }: TicketTime,
  { columns, now, column }: { readonly columns: number; readonly now: number; readonly column: (at: number) => number },
): readonly TimeCell[] {
  const cells = Array.from({ length: columns }, (): TimeCell => ({ text: " " }));
  for (const { part, from, to = now, tone } of stretches) {
    const last = Math.min(columns - 1, Math.max(column(from), column(to)));
    for (let x = Math.max(0, column(from)); x <= last; x++) cells[x] = { text: TIME_FILLS[part], tone };
  }
  for (const { at, glyph, tone } of marks) if (cells[column(at)] !== undefined) cells[column(at)] = { text: glyph, tone };
  return cells;
}

/** The attempts of a ticket in a few words: `3 attempts: in circles`; only the cause for one that has had a single one. */
export function attemptsText({ history, attempt, closedByPerson, reverted }: TicketState): string {
  const n = history.length + (attempt === undefined ? 0 : 1);
  const wrong = history.filter(({ outcome }) => !["done", "landed", "planned", "stopped", "gated"].includes(outcome));
  const words = [...new Set(wrong.map(causeWords)), ...(reverted === undefined ? [] : ["reverted"])].join(", ");
  if (closedByPerson === "closed") return "closed by a person";
  if (n < 2) return words;
  return words === "" ? plural(n, "attempt") : `${plural(n, "attempt")}: ${words}`;
}

/** Tickets whose time a text shows. */
const MOST_ROWS = 40;

/** The time of each ticket that was tried, as plain text of at most `width` characters, with a legend. Empty if none was. */
export function timelineText(state: RunState, width: number): readonly string[] {
  const tried = [...vecItems(state.tickets)].filter(({ history, attempt }) => history.length > 0 || attempt !== undefined);
  if (tried.length === 0) return [];
  const { from, to } = runSpan(state);
  const ids = Math.max(...tried.map(({ id }) => id.length)) + 2;
  const columns = Math.max(10, width - ids);
  const column = (at: number): number => Math.round(((at - from) / (to - from)) * (columns - 1));
  const row = (ticket: TicketState) =>
    timeCells(ticketTime(ticket), { columns, now: to, column })
      .map(({ text }) => text)
      .join("");
  const time = formatDuration(to - from);
  const { agent, checks, person } = TIME_FILLS;
  return [
    ...tried.slice(0, MOST_ROWS).map((ticket) => `${ticket.id.padEnd(ids)}${row(ticket)}`.trimEnd()),
    ...(tried.length > MOST_ROWS ? [`${" ".repeat(ids)}+${tried.length - MOST_ROWS} more`] : []),
    `${" ".repeat(ids)}0${"┄".repeat(Math.max(0, columns - 2 - time.length))} ${time}`,
    `${" ".repeat(ids)}${agent} agent  ${checks} checks  ${person} waits for a person`,
  ];
}
