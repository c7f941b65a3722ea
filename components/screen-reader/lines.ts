import type { RunState } from "../../src/domain/run/state.ts";
import type { TicketState } from "../../src/domain/run/ticket-state.ts";
import { describeBlocked } from "../../src/domain/schedule/needs.ts";
import type { TicketId } from "../../src/domain/values/ids.ts";
import { firstFewLine, plural } from "../../src/domain/values/text.ts";
import { type DashboardState, ticketIn } from "../../src/store/dashboard-state.ts";
import { displayText, formatCap, formatClock, formatUsd } from "../../src/store/format.ts";
import { keyLabel } from "../../src/store/keymap/key-labels.ts";
import { currentMode } from "../../src/store/keymap/keymap.ts";
import { brokenBaseLabel } from "../../src/store/labels/base-label.ts";
import { attemptStage, finishLine, progressParts, provingLabels } from "../../src/store/labels/progress-label.ts";
import { isAtPullRequest, pullRequestText } from "../../src/store/labels/pull-request-status.ts";
import { runLabel } from "../../src/store/labels/run-label.ts";
import { behaviourSign } from "../../src/store/labels/signals-label.ts";
import { displayTitle, queueLabel } from "../../src/store/labels/ticket-label.ts";
import { busyAgents, heldAttempts } from "../../src/store/lists.ts";
import { renderSummaryText } from "../../src/store/results/summary.ts";
import { wrapWords } from "../kit/fit.ts";

/** Maximum of tickets of one kind that are read out; the others are counted. */
const NAMED = 8;

/**
 * The overview for a screen reader: one thing per line, the most important first, no signs and no running clocks. It changes only
 * when something has happened. At most `rows` lines of `columns` columns; the rest is counted.
 */
export function spokenLines(state: DashboardState, columns: number, rows: number): readonly string[] {
  const [first, ...rest] = [headline(state), ...(state.run === undefined ? [] : body(state, state.run)), keysLine(state)];
  const lines = [first, ...rest].flatMap((line) => wrapWords(line, columns));
  if (lines.length <= rows) return lines;
  return [...lines.slice(0, rows - 1), `and ${plural(lines.length - rows + 1, "more line")}`];
}

function body(state: DashboardState, run: RunState): readonly string[] {
  const { lists } = state;
  if (run.end !== undefined) return renderSummaryText(run).split("\n").map(displayText).filter(Boolean);
  return [
    ...brokenBaseLine(run),
    ...selectedLine(state),
    ...(state.ui.marked.length === 0 ? [] : [`Marked: ${firstFewLine(state.ui.marked, NAMED)}.`]),
    ...needsLines(state),
    ...named("Landed, not live", lists.landed, (id) => queueLabel(state, id).text, state),
    oracleLine(run),
    ...(provingLabels(run)
      ?.slice(0, 1)
      .map((label) => `${capital(label)}.`) ?? []),
    `${busyAgents(run)} of ${plural(run.workers, "worker")} busy.`,
    ...named(
      heldAttempts(run) > 0 ? "Held" : "At work",
      lists.rows.filter((id) => id !== null),
      (id) => atWork(state, id),
      state,
    ),
    ...named("Waits", lists.waiting, (id) => queueLabel(state, id).text, state),
    `${formatUsd(run.spentUsd)} of ${formatCap(run.batch.limits.usdPerRun)} spent. ${plural(run.interventions.length, "intervention")}.`,
  ];
}

/** One line for each need, with the tickets that wait for it. */
function needsLines({ lists: { needs }, ...state }: DashboardState): readonly string[] {
  const lines = needs.slice(0, NAMED).map((need) => {
    const what = need.ticket === undefined ? "" : `${need.ticket}, ${displayTitle(state, need.ticket)}: `;
    const blocked = describeBlocked(need);
    return `Needs you: ${what}${displayText(need.says)}.${blocked === "" ? "" : ` ${blocked}.`}`;
  });
  return needs.length <= NAMED ? lines : [...lines, `Needs you: ${needs.length - NAMED} more.`];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function brokenBaseLine(run: RunState): readonly string[] {
  const label = brokenBaseLabel(run);
  if (label === undefined) return [];
  const { repo, suspect, response, since, failure, more } = label;
  const others = more === 0 ? "" : ` ${plural(more, "other base is", "other bases are")} broken.`;
  return [`Broken base of ${repo} since ${formatClock(since)}: ${suspect} is suspected, ${response}. ${failure}.${others}`];
}

function headline({ run, ui, now, playback }: DashboardState): string {
  const { word } = runLabel(run, ui.connection, now);
  if (run === undefined) return ui.connection.state === "lost" ? `Connection lost: ${ui.connection.reason}.` : "Connecting.";
  const { counts, plan, batch } = run;
  const kind = playback === undefined ? "" : "Replay, not live. ";
  const lost = ui.connection.state === "lost" && run.end === undefined ? ` Connection lost: ${ui.connection.reason}.` : "";
  const tickets = `${counts.done} of ${plural(plan.tickets.length, "ticket")} done, ${counts["human-gated"]} left to you`;
  return `${kind}${displayText(batch.name)}: ${word.toLowerCase()}. ${tickets}, ${counts.stalled} stalled.${lost}`;
}

function selectedLine(state: DashboardState): readonly string[] {
  const { selected } = state.ui;
  if (selected === undefined || ticketIn(state, selected) === undefined) return [];
  return [`Selected: ${sentence(state, selected, atWork(state, selected))}`];
}

/** A ticket's current step and what its agent's behaviour lacks, or the reason why it waits. */
function atWork(state: DashboardState, id: TicketId): string {
  const attempt = ticketIn(state, id)?.attempt;
  if (attempt === undefined) return queueLabel(state, id).text;
  const pullRequest = state.run && spokenPullRequest(state.run, ticketIn(state, id));
  const stage = attemptStage(attempt, finishLine(state.run, id)).word;
  const progress = progressParts(attempt.step).join(", ");
  const parts = [`attempt ${attempt.n}`, progress === "" ? stage : progress, pullRequest, behaviourSign(attempt)?.text];
  return parts.filter((part) => part !== undefined).join(", ");
}

/** The pull request on which an attempt waits, without a clock. */
function spokenPullRequest(run: RunState, ticket: TicketState | undefined): string | undefined {
  return ticket === undefined || !isAtPullRequest(ticket) ? undefined : pullRequestText(run, ticket)?.replaceAll(" · ", ", ");
}

function sentence(state: DashboardState, id: TicketId, text: string): string {
  return `${id}, ${displayTitle(state, id)}: ${text}.`;
}

function named(
  kind: string,
  ids: readonly TicketId[],
  textOf: (id: TicketId) => string,
  state: DashboardState,
): readonly string[] {
  const lines = ids.slice(0, NAMED).map((id) => `${kind}: ${sentence(state, id, textOf(id))}`);
  return ids.length <= NAMED ? lines : [...lines, `${kind}: ${ids.length - NAMED} more.`];
}

const VERDICTS = { done: "done", "not-done": "not done", unjudged: "that it cannot judge" } as const;

function oracleLine({ oracle: { last } }: RunState): string {
  if (last === undefined) return "The oracle has not judged yet.";
  const { done, gated, open } = last.counts;
  const counts =
    last.verdict === "unjudged" ? displayText(last.problem ?? "no reason given") : `${done} done, ${gated} gated, ${open} open`;
  return `The oracle said ${VERDICTS[last.verdict]} at ${formatClock(last.at)}: ${counts}.`;
}

/** Keys whose names a screen reader may skip. */
const KEY_NAMES: Readonly<Record<string, string>> = {
  "?": "question mark",
  ":": "colon",
  "/": "slash",
  "+": "plus",
  "-": "minus",
};

function keysLine(state: DashboardState): string {
  const shown = state.keymap[currentMode(state)].flatMap((b) => {
    const key = b.keys[0];
    const short = b.short?.(state) ?? "";
    return short === "" || key === undefined ? [] : [`${KEY_NAMES[key] ?? keyLabel(key)} ${short}`];
  });
  return `Keys: ${shown.join(", ")}.`;
}

/** Lines and bars are visual: a screen reader would speak each of their signs. */
const DRAWN = /[\u2500-\u259f\u25a0-\u25a3]+/g;

/** Text for a screen reader: without drawn signs, and without the blanks between columns. */
export function screenReaderText(text: string): string {
  return text.replace(DRAWN, " ").replace(/ {2,}/g, " ");
}
