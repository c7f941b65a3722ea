import { failingOnBaseLine } from "@loopdash/test-evidence";
import { isUnsandboxed } from "../../domain/batch/step-spec.ts";
import { builtText } from "../../domain/results/built.ts";
import type { JudgementRecord } from "../../domain/results/judgements.ts";
import { computeLedger, type Ledger } from "../../domain/results/ledger.ts";
import { nextSteps } from "../../domain/results/next-steps.ts";
import { hasNeverStarted, outcomes } from "../../domain/results/outcomes.ts";
import { countSettlements, type Settlement, ticketSettlement } from "../../domain/results/settlement.ts";
import { computeTrend, type EarlierRun } from "../../domain/results/trend.ts";
import { findLanding } from "../../domain/run/carry-over.ts";
import { isLandedNotLive } from "../../domain/run/live-check.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import { keptWorkLines } from "../../domain/run/work-to-keep.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import { escapeMarkdown } from "../../domain/values/markdown.ts";
import { firstFewLine, plainLines, plainText, plural } from "../../domain/values/text.ts";
import { formatDuration } from "../../domain/values/time.ts";
import { contractLines } from "../labels/contract-label.ts";
import { pullRequestText } from "../labels/pull-request-status.ts";
import { headline } from "../labels/run-label.ts";
import { originParts } from "../labels/ticket-label.ts";
import { STYLES, type Style, specLabel } from "../labels/tone.ts";
import { commitUrl, type LinkedLine, ticketLinks, ticketUrl, withLinks } from "../links.ts";
import { awayText } from "./away-lines.ts";
import { healSummary } from "./heal-lines.ts";
import { incidentLines, interventionLines } from "./incident-lines.ts";
import { judgementLines } from "./judgement-lines.ts";
import { landedCommands, landedSizeText, revertedLines } from "./landed-lines.ts";
import { numbersLine, numbersLines } from "./numbers-line.ts";
import { timelineText } from "./timeline-cells.ts";
import { trendLine } from "./trend-text.ts";

/** What people call a ticket in its tracker, and the finder of one that a worker found: for use behind its title. */
export function foundLabel(ticket: TicketState): string {
  const parts = originParts(ticket);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** The earlier run that landed a commit, for use behind the commit; empty if this run did. */
export function earlierRunLabel({ earlierRun }: NonNullable<ReturnType<typeof findLanding>>): string {
  return earlierRun === undefined ? "" : ` by run ${earlierRun}`;
}

/** Columns of a text that does not know its terminal's width. */
const TEXT_WIDTH = 78;

/**
 * The summary as plain lines, uncut: a step for a person must not be cut at the edge of a terminal, and has its own line so that
 * it can be copied. `earlier`: earlier runs of its batch file, newest first.
 */
export function renderSummaryText(state: RunState, live = true, earlier: readonly EarlierRun[] = []): string {
  return summaryTextLines(state, live, earlier)
    .map((line) => `${line.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("")}\n`)
    .join("");
}

/** The same lines with what leads to a page: tickets, their commits, and the run. `runUrl`: where its files are. */
export function summaryTextLines(
  state: RunState,
  live: boolean,
  earlier: readonly EarlierRun[],
  runUrl?: string,
): readonly LinkedLine[] {
  const ledger = computeLedger(state);
  const { done, gated, open } = outcomes(state);
  const title = (t: TicketState) => plainTitle(state, t) + foundLabel(t);
  const trend = trendLine(computeTrend(state, earlier));
  const unstarted = open.flatMap(({ ticket }) => (hasNeverStarted(ticket, state) ? [ticket.id] : []));
  const isLong = unstarted.length > 10;
  const lines: readonly (string | LinkedLine)[] = [
    `${headline(state, live)}   ${plainText(state.batch.name)}   ${formatDuration(ledger.elapsedMs)}   ${countsLabel(ledger, { done, landed: open.filter(({ ticket }) => isLandedNotLive(ticket)).length })}`,
    ...(state.end === undefined ? [] : [`  ${plainText(state.end.reason)}`]),
    ...unsandboxedLines(state),
    ...done.flatMap((t) => [
      linked(state, t, `  ${STYLES.done.glyph} ${t.id}  ${title(t)}  ${landedAs(t)}${attemptsText(t)}`),
      ...pullRequestLines(state, t).map((line) => linked(state, t, `      ${line}`)),
      ...[...revertedLines(t), ...baseLines(t), ...keptWorkLines(t)].map((line) => `      ${line}`),
    ]),
    ...gated.flatMap((t) => [
      linked(state, t, `  ${STYLES.needsYou.glyph} ${t.id}  ${title(t)}  ${landedAs(t)}yours:`),
      ...[stepText(t), builtText(t, plannedTicket(state.plan, t.id))].map((line) => `      ${plainText(line)}`),
      ...pullRequestLines(state, t).map((line) => linked(state, t, `      ${line}`)),
      ...keptWorkLines(t).map((line) => `      ${line}`),
    ]),
    ...(isLong ? open.filter(({ ticket }) => !hasNeverStarted(ticket, state)) : open).flatMap(({ ticket, why }) => [
      linked(state, ticket, `  ${openStyle(ticket, state).glyph} ${ticket.id}  ${title(ticket)}  ${plainText(why)}`),
      ...[...pullRequestLines(state, ticket), ...landedLines(state, ticket)].map((line) =>
        linked(state, ticket, `      ${line}`),
      ),
      ...keptWorkLines(ticket).map((line) => `      ${line}`),
    ]),
    ...(isLong ? [`  ${STYLES.waits.glyph} ${unstarted.length} more never started: ${firstFewLine(unstarted, 10)}`] : []),
    ...[...awayText(state), ...numbersLines(ledger, TEXT_WIDTH - 2), ...healSummary(state)].map((line) => `  ${line}`),
    ...(trend === undefined ? [] : [`  ${trend}`]),
    ...[...timelineText(state, TEXT_WIDTH - 2), ...nextLines(state), ...landedCommands(state)].map((line) => `  ${line}`),
    withLinks(`  loopdash report ${state.run}`, runUrl === undefined ? [] : [{ text: state.run, url: runUrl }]),
  ];
  return lines.map((line) => (typeof line === "string" ? [plainText(line)] : line));
}

/** A line about a ticket, with its page and that of the commit that landed it. */
function linked(state: RunState, ticket: TicketState, text: string): LinkedLine {
  return withLinks(plainText(text), ticketLinks(state, ticket));
}

/** The next actions after a run that is not done: the fix, the command that resumes it, and the work that it keeps. */
export function nextLines(state: RunState): readonly string[] {
  const next = nextSteps(state);
  return next === undefined
    ? []
    : [
        ...(next.fix === undefined ? [] : [`fix:   ${next.fix}`]),
        ...(next.check === undefined ? [] : [`check: ${next.check}`]),
        `next:  ${next.command}`,
        `keeps: ${next.kept}`,
      ];
}

/** The style of an open ticket: one whose change has landed is no failed one, and neither is one of a run that goes on. */
export function openStyle(ticket: TicketState, { end }: Pick<RunState, "end">): Style {
  if (isLandedNotLive(ticket) || cutOffLanding(ticket) !== undefined) return STYLES.landed;
  if (end !== undefined && hasNeverStarted(ticket, { end })) return STYLES.waits;
  if (end !== undefined || ticket.phase === "stalled") return STYLES.failed;
  return ticket.attempt === undefined ? STYLES.waits : STYLES.run;
}

/** The commit of an open ticket whose finish line was cut off after the merge; undefined for every other ticket. */
function cutOffLanding({ phase, live, mergedSha, pendingWork }: TicketState): string | undefined {
  if (phase === "done" || phase === "human-gated" || live !== undefined) return undefined;
  return mergedSha ?? pendingWork?.landed?.to;
}

/** Lines of output of a live check that a summary shows. */
const CHECK_LINES = 5;

/** The landed change of an open ticket, the output of its last live check, and the command that repeats it. Safe for a terminal. */
export function landedLines({ run, end }: RunState, ticket: TicketState): readonly string[] {
  const { id, live, phase } = ticket;
  const cutOff = cutOffLanding(ticket);
  if (cutOff !== undefined) return [`landed as ${cutOff.slice(0, 7)}; its steps after the merge have not passed yet`];
  if (live === undefined || !isLandedNotLive(ticket)) return [...revertedLines(ticket), ...builtLines(ticket, end)];
  const output = plainLines(live.detail, { maxLines: Number.POSITIVE_INFINITY }).filter((line) => line.trim() !== "");
  return [
    ...(phase === "landed" ? [] : [`landed as ${live.sha.slice(0, 7)}, not live`]),
    ...output.slice(-CHECK_LINES).map((line) => `| ${line}`),
    // A run that was stopped is not over: its next engine repeats the check.
    ...(end === undefined || end.kind === "interrupted" ? [] : [`repeat with: loopdash verify ${run} ${id}`]),
  ];
}

/** The pull request of a ticket, as it was read last. One that has landed is named with its number alone. */
export function pullRequestLines(state: RunState, ticket: TicketState): readonly string[] {
  const text = pullRequestText(state, ticket);
  return text === undefined ? [] : [text];
}

/** The finished change of an open ticket that has not landed. */
function builtLines({ phase, pendingWork }: TicketState, end: RunState["end"]): readonly string[] {
  if (pendingWork === undefined || phase === "done" || phase === "human-gated") return [];
  return [`its change is finished; ${end === undefined ? "it" : "the next run"} goes on with it, without another agent`];
}

/** Tests that failed on a ticket's base and did not count, one line for each check. */
export function baseLines({ failingOnBase = [] }: TicketState): readonly string[] {
  return failingOnBase.map(({ check, count, tests }) => `${failingOnBaseLine(tests, count)} (check ${check})`);
}

function countsLabel(
  { tickets: { total, gated, open } }: Ledger,
  { done, landed }: { readonly done: readonly TicketState[]; readonly landed: number },
): string {
  const { shipped, before, "by-person": closed } = countSettlements(done);
  const notLive = landed === 0 ? "" : ` (${landed} landed, not live)`;
  const earlier = before === 0 ? "" : `, ${before} done before`;
  const byPerson = closed === 0 ? "" : `, ${closed} closed by a person`;
  return `${plural(total, "ticket")}: ${shipped} shipped${earlier}${byPerson}, ${gated} left to a person, ${open} open${notLive}`;
}

/** A person's next step; if nobody wrote it down, the text says so. */
const stepText = ({ humanStep }: TicketState): string => humanStep ?? "no step was recorded";

function plainTitle(state: RunState, { id }: TicketState): string {
  return plainText(plannedTicket(state.plan, id).title);
}

function landedAs(ticket: TicketState): string {
  const landing = findLanding(ticket);
  const size = landedSizeText(ticket);
  return landing === undefined ? "" : `${landing.sha.slice(0, 7)}${earlierRunLabel(landing)}  ${size === "" ? "" : `${size}  `}`;
}

function attemptsText(ticket: TicketState): string {
  const n = ticket.history.length;
  const settlement = ticketSettlement(ticket);
  if (settlement === "by-person") return n === 0 ? "closed by a person" : `closed by a person after ${plural(n, "attempt")}`;
  if (n > 0) return plural(n, "attempt");
  return settlement === "before" ? "done before this run" : "landed before this run, live now";
}

/** The summary as Markdown. */
export function renderMarkdown(
  state: RunState,
  live = true,
  earlier: readonly EarlierRun[] = [],
  judgements: readonly JudgementRecord[] = [],
): string {
  const ledger = computeLedger(state);
  const { done, gated, open } = outcomes(state);
  const title = (t: TicketState) => escapeMarkdown(plainTitle(state, t) + foundLabel(t));
  const left = (t: TicketState, isGated = false) => markdownLeft(state, t, isGated);
  const id = (t: TicketState) => `**${markdownLink(t.id, ticketUrl(t))}**`;
  const sha = (t: TicketState) => markdownLanding(state, t);
  const section = (name: string, rows: readonly string[]) => (rows.length === 0 ? [] : ["", `## ${name}`, ...rows]);
  const list = (name: string, lines: readonly string[]) =>
    section(
      name,
      lines.map((line) => `- ${escapeMarkdown(line)}`),
    );
  const settled = (t: TicketState) => [
    `- ${id(t)} ${title(t)}${sha(t)} (${[attemptsText(t), landedSizeText(t)].filter((part) => part !== "").join(", ")})`,
    ...baseLines(t).map((line) => `  - ${escapeMarkdown(line)}`),
    ...left(t),
  ];
  const doneBy = (settlement: Settlement) => done.filter((t) => ticketSettlement(t) === settlement);
  const trend = trendLine(computeTrend(state, earlier));
  return `${[
    `# ${headline(state, live)}: ${escapeMarkdown(state.batch.name)}`,
    "",
    `Run \`${state.run}\`, ${formatDuration(ledger.elapsedMs)}, ${ledger.tickets.total} ${ledger.tickets.total === 1 ? "ticket" : "tickets"}. ${escapeMarkdown(state.end?.reason ?? "The run has not ended.")}`,
    ...(state.sandboxed ? [] : ["", "Unsandboxed: agents and checks ran with the user's rights."]),
    ...section(
      "Yours",
      gated.flatMap((t) => [`- ${id(t)} ${title(t)}${sha(t)}: ${escapeMarkdown(stepText(t))}`, ...left(t, true)]),
    ),
    ...section(
      "Open",
      open.flatMap(({ ticket, why }) => [
        `- ${id(ticket)} ${title(ticket)}: ${escapeMarkdown(why)}`,
        ...landedLines(state, ticket).map((line) => `  - ${escapeMarkdown(line)}`),
        ...left(ticket),
      ]),
    ),
    ...section("Shipped", doneBy("shipped").flatMap(settled)),
    ...section("Done before this run", doneBy("before").flatMap(settled)),
    ...section("Closed by a person", doneBy("by-person").flatMap(settled)),
    ...list("What happened", [...awayText(state), ...healSummary(state)]),
    ...section("Landed", fenced(landedCommands(state))),
    ...section("Numbers", [
      `- ${numbersLine(ledger).split(" · ").join("\n- ")}`,
      ...(trend === undefined ? [] : [`- ${escapeMarkdown(trend)}`]),
    ]),
    ...list("Interventions", interventionLines(state)),
    ...list("Incidents", incidentLines(state)),
    ...list("Judgements", judgementLines(judgements)),
    ...section("Timeline", fenced(timelineText(state, TEXT_WIDTH - 2))),
  ].join("\n")}\n`;
}

/** Lines as they are; none without any. */
function fenced(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["```text", ...lines, "```"];
}

/** Markdown that leads to an address, if it is known. `text` is Markdown; an address has printable ASCII alone. */
function markdownLink(text: string, url: string | undefined): string {
  return url === undefined ? text : `[${text}](<${url.replaceAll("<", "%3C").replaceAll(">", "%3E")}>)`;
}

/** The commit that landed a ticket, behind its title; empty if none has. */
function markdownLanding(state: RunState, ticket: TicketState): string {
  const landing = findLanding(ticket);
  if (landing === undefined) return "";
  const commit = markdownLink(`\`${landing.sha.slice(0, 10)}\``, commitUrl(state, ticket, landing.sha));
  return ` ${commit}${escapeMarkdown(earlierRunLabel(landing))}`;
}

/** The lines below a ticket: what a gated one has built, its contract, its pull request, and the work that is kept. */
function markdownLeft(state: RunState, ticket: TicketState, isGated: boolean): readonly string[] {
  const built = isGated ? [escapeMarkdown(builtText(ticket, plannedTicket(state.plan, ticket.id)))] : [];
  const contract = contractLines(plannedTicket(state.plan, ticket.id)).map((line) => escapeMarkdown(line));
  const pulls = pullRequestLines(state, ticket).map((line) => markdownPullRequest(line, ticket));
  const kept = keptWorkLines(ticket).map((line) => escapeMarkdown(line));
  return [...built, ...contract, ...pulls, ...kept].map((line) => `  - ${line}`);
}

/** The line of a pull request, whose number leads to its page. */
function markdownPullRequest(line: string, { pullRequest }: TicketState): string {
  const name = `#${pullRequest?.number}`;
  const [before = "", ...after] = line.split(name);
  const link = markdownLink(escapeMarkdown(name), pullRequest?.url);
  return `${escapeMarkdown(before)}${link}${escapeMarkdown(after.join(name))}`;
}

/** What ran with the rights of the person who started it. */
function unsandboxedLines({ sandboxed, plan }: Pick<RunState, "sandboxed" | "plan">): readonly string[] {
  if (!sandboxed) return ["  unsandboxed: agents and checks ran with your rights"];
  const steps = plan.tickets.flatMap(({ finish }) => finish.filter(isUnsandboxed).map(specLabel));
  return steps.length === 0 ? [] : [`  ran outside the sandbox, with your rights: ${[...new Set(steps)].join(", ")}`];
}
