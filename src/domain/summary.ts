import { type Ledger, ledgerOf } from "./ledger.ts";
import type { RunState, TicketState } from "./state.ts";
import { plainText } from "./text.ts";
import { vecItems } from "./vec.ts";
import { describeReason, whyNot } from "./why-not.ts";

/** Milliseconds as `41s`, `2:10` or `5:58:40`. */
export function formatDuration(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000));
  const [h, m, s] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  if (h > 0) return `${h}:${two(m)}:${two(s)}`;
  return m > 0 ? `${m}:${two(s)}` : `${s}s`;
}

/** The first line of every summary: verdict and who gave it. `live`: an engine is at work on the run, as far as is known. */
export function headline(state: RunState, live = true): string {
  const end = state.end;
  if (end === undefined) return live ? "● RUNNING" : "‖ UNFINISHED";
  if (end.kind === "oracle-done") return "✔ DONE, says the oracle";
  if (end.kind === "not-done") return "✖ NOT DONE, says the oracle";
  if (end.kind === "interrupted") return "■ STOPPED before the oracle judged";
  if (end.kind === "tripwire") return "✖ TRIPWIRE: what decides is not to be believed";
  if (end.kind === "unjudged") return "? UNJUDGED: the oracle could not say";
  return "✖ FAILED: the engine had to stop";
}

/** What was built, what is left for a person, what was given up: one list each. */
export function outcomes(state: RunState): {
  shipped: TicketState[];
  gated: TicketState[];
  open: { ticket: TicketState; why: string }[];
} {
  const all = [...vecItems(state.tickets)];
  const open = all.flatMap((ticket, index) => {
    if (ticket.phase === "done" || ticket.phase === "human-gated") return [];
    return [{ ticket, why: ticket.stalledReason ?? describeReason(whyNot(state, index)) }];
  });
  return { shipped: all.filter((t) => t.phase === "done"), gated: all.filter((t) => t.phase === "human-gated"), open };
}

/** The numbers of the run in one or two short sentences. */
export function numbersLine(ledger: Ledger): string {
  const { interventions: i, claims } = ledger;
  return [
    `attempts ${ledger.attempts}`,
    `claims ${claims.made}, upheld ${claims.upheld}${claims.gap === 0 ? "" : `, gap ${claims.gap}`}`,
    ...checksWords(ledger.checks),
    ...secondModelWords(ledger.secondModel),
    ...claimWords(ledger),
    `fix-and-proceed ${ledger.fixAndProceed}`,
    ...(ledger.heals > 0 ? [`heals ${ledger.heals}, accepted ${ledger.healsAccepted}`] : []),
    `incidents ${ledger.incidents}`,
    `$ ${ledger.costUsd.toFixed(2)}`,
    `interventions ${i.total} (${i.work} work, ${i.harness} harness)`,
  ].join(" · ");
}

/** Passed checks by what they proved, where there were any: an exit code is never shown as the equal of results per test. */
function checksWords({ compared, uncompared, exitCodeOnly }: Ledger["checks"]): readonly string[] {
  const words = [
    ...(compared > 0 ? [`${compared} test by test`] : []),
    ...(uncompared > 0 ? [`${uncompared} with nothing to compare`] : []),
    ...(exitCodeOnly > 0 ? [`${exitCodeOnly} by exit code only`] : []),
  ];
  return words.length === 0 ? [] : [`checks ${words.join(", ")}`];
}

/** What the second model was asked, where it was: questions without an answer that counts are named, and what it did not see. */
function secondModelWords({ questions, valid, usd, canaries }: Ledger["secondModel"]): readonly string[] {
  if (questions === 0) return [];
  const planted = canaries.seen + canaries.missed;
  return [
    `second model asked ${questions}, answered ${valid}${usd > 0 ? `, $ ${usd.toFixed(2)}` : ""}`,
    ...(planted > 0 ? [`canaries ${planted}, missed ${canaries.missed}`] : []),
  ];
}

/** What workers claimed beside their changes, and hiccups; each where there were any. */
function claimWords({ blockers, discoveries, transients }: Ledger): readonly string[] {
  return [
    ...(blockers.claimed > 0 ? [`blockers ${blockers.claimed}, upheld ${blockers.upheld}, fake ${blockers.fake}`] : []),
    ...(discoveries.filed + discoveries.refused > 0
      ? [`discoveries filed ${discoveries.filed}${discoveries.refused > 0 ? `, refused ${discoveries.refused}` : ""}`]
      : []),
    ...(transients.retried > 0 ? [`hiccups ${transients.retried}, then passed ${transients.passed}`] : []),
  ];
}

/** How a ticket came to be in the batch, where a worker found it: to stand behind its title. */
export function foundWords({ foundBy }: TicketState): string {
  return foundBy === undefined ? "" : ` (found by ${foundBy})`;
}

/** The summary as plain lines, whole: what is left for a person must not be cut at the edge of a terminal. */
export function renderSummaryText(state: RunState, live = true): string {
  const ledger = ledgerOf(state);
  const { shipped, gated, open } = outcomes(state);
  const title = (t: TicketState) => plainText(state.plan.tickets[state.plan.index[t.id] as number]?.title ?? "") + foundWords(t);
  const lines = [
    `${headline(state, live)}   ${plainText(state.batch.name)}   ${formatDuration(ledger.elapsedMs)}   ${ledger.tickets.total} tickets: ${shipped.length} shipped, ${gated.length} human-gated, ${open.length} open`,
    ...(state.end === undefined ? [] : [`  ${plainText(state.end.reason)}`]),
    ...(state.sandboxed ? [] : ["  unsandboxed: agents and checks ran with your rights"]),
    ...shipped.map((t) => `  ✔ ${t.id}  ${title(t)}  ${landedAs(t)}${tries(t)}`),
    ...gated.map((t) => `  ! ${t.id}  ${title(t)}  ${landedAs(t)}yours: ${plainText(t.humanStep ?? "")}`),
    ...open.map(({ ticket, why }) => `  ✖ ${ticket.id}  ${title(ticket)}  ${plainText(why)}`),
    `  ${numbersLine(ledger)}`,
    `  loopdash report ${state.run}`,
  ];
  return `${lines.map((line) => plainText(line)).join("\n")}\n`;
}

function landedAs({ mergedSha }: TicketState): string {
  return mergedSha === undefined ? "" : `${mergedSha.slice(0, 7)}  `;
}

function tries(ticket: TicketState): string {
  const n = ticket.history.length;
  return n === 0 ? "settled before this run" : `${n} ${n === 1 ? "try" : "tries"}`;
}

/** The summary as Markdown, to paste where people read it. */
export function renderMarkdown(state: RunState, live = true): string {
  const ledger = ledgerOf(state);
  const { shipped, gated, open } = outcomes(state);
  const title = (t: TicketState) =>
    escapeMarkdown((state.plan.tickets[state.plan.index[t.id] as number]?.title ?? "") + foundWords(t));
  const sha = ({ mergedSha }: TicketState) => (mergedSha === undefined ? "" : ` \`${mergedSha.slice(0, 10)}\``);
  const section = (name: string, rows: readonly string[]) => (rows.length === 0 ? [] : ["", `## ${name}`, ...rows]);
  return `${[
    `# ${headline(state, live)}: ${escapeMarkdown(state.batch.name)}`,
    "",
    `Run \`${state.run}\`, ${formatDuration(ledger.elapsedMs)}, ${ledger.tickets.total} tickets. ${escapeMarkdown(state.end?.reason ?? "The run has not ended.")}`,
    ...(state.sandboxed ? [] : ["", "Unsandboxed: agents and checks ran with the user's rights."]),
    ...section(
      "Shipped",
      shipped.map((t) => `- **${t.id}** ${title(t)}${sha(t)} (${tries(t)})`),
    ),
    ...section(
      "Yours",
      gated.map((t) => `- **${t.id}** ${title(t)}${sha(t)}: ${escapeMarkdown(t.humanStep ?? "")}`),
    ),
    ...section(
      "Open",
      open.map(({ ticket, why }) => `- **${ticket.id}** ${title(ticket)}: ${escapeMarkdown(why)}`),
    ),
    ...section("Numbers", [`- ${numbersLine(ledger).split(" · ").join("\n- ")}`]),
  ].join("\n")}\n`;
}

/** Outside text in Markdown: no markup, no HTML, no control characters. */
function escapeMarkdown(text: string): string {
  return plainText(text).replace(/[\\`*_[\]<>#|~&]/g, "\\$&");
}
