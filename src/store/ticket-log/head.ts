import type { StepKind } from "../../domain/batch/step-spec.ts";
import { overallLevel } from "../../domain/behaviour/signals.ts";
import { findLanding } from "../../domain/run/carry-over.ts";
import { describeKeptWork } from "../../domain/run/kept-work.ts";
import { describeRemedy } from "../../domain/run/remedy-fact.ts";
import { isSettled } from "../../domain/run/ticket-state.ts";
import { listKeptWork } from "../../domain/run/work-to-keep.ts";
import { moneyNow, ticketUsd } from "../../domain/schedule/money.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import { plural } from "../../domain/values/text.ts";
import type { DashboardState } from "../dashboard-state.ts";
import { displayLine, displayText, formatAge, formatCap, formatUsd } from "../format.ts";
import { criterionLabel } from "../labels/contract-label.ts";
import { guardLines } from "../labels/guard-label.ts";
import { signalsLines } from "../labels/signals-label.ts";
import { specLabel, type Tone } from "../labels/tone.ts";
import { type AttemptEntry, type AttemptMark, pastEvidence } from "./attempts.ts";
import { checksLines, triagedAttempt } from "./checks.ts";
import { tokenCounts } from "./event-reader.ts";
import type { LogLine } from "./line-ring.ts";
import { openFileAt, type Target } from "./target.ts";

type State = Pick<DashboardState, "run" | "ui" | "now" | "viewed">;

/** The outcome of a step, in a word. */
export const MARK_LABELS: Readonly<Record<AttemptMark, string>> = {
  claimed: "stopped by itself, which is its claim",
  passed: "passed",
  "not-needed": "not needed for a ticket of this class",
  failed: "failed",
  running: "under way",
  waits: "waits for its turn",
  held: "held",
  ahead: "ahead",
  unreached: "not reached",
  unseen: "unknown",
};

/** A tab's own lines above the file that it shows. */
export function tabHeadLines(state: State, target: Target): readonly LogLine[] {
  switch (target.tab) {
    case "evidence":
      return [...keptWorkHead(target), ...evidenceLines(state, target)];
    case "cost":
      return costLines(state, target);
    case "checks":
      return [...checksLines(state, target.ticket), ...triageHead(state, target)];
    case "log":
    case "diff":
      return keptWorkHead(target);
    default:
      return [];
  }
}

/** The branch with the work of a cut-off attempt, or why there is none. */
function keptWorkHead({ attempt, ticket }: Target): readonly LogLine[] {
  const left = listKeptWork(ticket).find(({ n }) => n === attempt.n);
  if (left === undefined) return [];
  return [line(displayText(describeKeptWork(left)), left.notKept === undefined ? "good" : "bad"), line("")];
}

function line(text: string, tone: Tone = "plain"): LogLine {
  return { text, tone };
}

/** An entry by name: `check tests`, `agent`, `plan`. */
export function entryLabel(entry: AttemptEntry): string {
  return entry.spec === undefined ? (entry.isPlan ? "plan" : "agent") : specLabel(entry.spec);
}

function evidenceLines(state: State, target: Target): readonly LogLine[] {
  const { entry, attempt, ticket } = target;
  if (entry === undefined) return [];
  const took = entry.ms === undefined ? "" : `, ${formatAge(entry.ms)}`;
  const tone = entry.mark === "failed" ? "bad" : entry.mark === "passed" ? "good" : "waiting";
  const past = ticket.history.find(({ n }) => n === attempt.n);
  const found = past === undefined ? ticket.attempt?.refused : pastEvidence(ticket, past);
  const detail = entry.mark === "failed" ? (found?.detail ?? "") : "";
  return [
    line(`${entryLabel(entry)}, attempt ${attempt.n}: ${MARK_LABELS[entry.mark]}${took}`, tone),
    ...criterionLines(state, target),
    ...(entry.says === undefined ? [] : [line(entry.says)]),
    ...(detail.trim() === ""
      ? []
      : [
          line(""),
          ...detail
            .trimEnd()
            .split(/\r?\n/)
            .map((text) => line(displayLine(text))),
        ]),
    ...behaviourLines(target),
    ...auditLines(target),
    ...guardHead(target),
    ...logLines(state, target),
  ];
}

/** The signals of the chosen attempt in words: below its agent always, below its steps if one of them is a finding. */
function behaviourLines({ ticket, attempt, entry }: Target): readonly LogLine[] {
  const past = ticket.history.find(({ n }) => n === attempt.n);
  const signals = past === undefined ? ticket.attempt?.signals : past.signals;
  const level = signals && overallLevel(signals);
  if (signals === undefined || (entry?.step !== "agent" && level !== "warn" && level !== "fail")) return [];
  return [
    line(""),
    line("behaviour of its agent, as its program prints it:", "waiting"),
    ...signalsLines(signals),
    ...remedyLines(ticket, attempt.n),
  ];
}

/** What the engine did about the failed gates of an attempt. */
function remedyLines({ remedies = [] }: Target["ticket"], attempt: number): readonly LogLine[] {
  return remedies.filter(({ n }) => n === attempt).map((remedy) => line(displayText(describeRemedy(remedy)), "waiting"));
}

/** The number of commands in the audit log, and where that is. It is unknown if the attempt is over and the journal has no number. */
function auditLines({ ticket, attempt, entry }: Target): readonly LogLine[] {
  if (entry?.step !== "agent") return [];
  const past = ticket.history.find(({ n }) => n === attempt.n);
  const { audited: rows, auditUnread = 0 } = past ?? ticket.attempt ?? {};
  if (rows === undefined && past === undefined) return [];
  return [line(""), line(`${auditText(rows)} (audit/ in the folder of the run)`, "waiting"), ...unreadLines(auditUnread)];
}

function unreadLines(unread: number): readonly LogLine[] {
  if (unread === 0) return [];
  return [line(`${plural(unread, "command was", "commands were")} not read (too much text): counted as changes`, "bad")];
}

function auditText(rows: number | undefined): string {
  if (rows === undefined) return "? commands and edits in the audit log: the journal does not tell";
  if (rows === 0) return "its program told of no command or edit";
  return `${plural(rows, "command or edit", "commands and edits")} in the audit log`;
}

/** What the guard of the chosen attempt told, below its agent. */
function guardHead({ ticket, attempt, entry }: Target): readonly LogLine[] {
  if (entry?.step !== "agent") return [];
  const past = ticket.history.find(({ n }) => n === attempt.n);
  const lines = guardLines(past ?? ticket.attempt ?? {});
  return lines.length === 0 ? [] : [line(""), line("its guard, as it reported from the sandbox:", "waiting"), ...lines];
}

/** The title of the triage of the last attempt that failed at its pull request, or why there is none. */
function triageHead(state: State, target: Target): readonly LogLine[] {
  if (target.ticket.pullRequest === undefined) return [];
  const past = triagedAttempt(target.ticket, target.attempt.n);
  if (past === undefined) return [line(""), line("no triage: no attempt has failed at the pull request", "waiting")];
  const file = openFileAt(state, target)?.file ?? "reading";
  const title = `${file === "absent" ? "WORDS" : "TRIAGE"}  of attempt ${past.n}: ${displayText(past.summary)}`;
  if (file === "reading") return [line(""), line(title, "bad")];
  if (file === "there") return [line(""), line(title, "bad"), line("")];
  if (file !== "absent") return [line(""), line(title, "bad"), line(file.refused, "waiting")];
  // No check has failed: the words of bots and people are the reason.
  const words = pastEvidence(target.ticket, past)?.detail.trimEnd().split(/\r?\n/) ?? [];
  return [line(""), line(title, "bad"), line(""), ...words.map((text) => line(displayLine(text)))];
}

function criterionLines({ run }: State, { ticket, entry }: Target): readonly LogLine[] {
  const said = run === undefined ? undefined : criterionLabel(plannedTicket(run.plan, ticket.id), entry?.spec);
  return said === undefined ? [] : [line(said, "waiting")];
}

/** The lines above the log of a step, or instead of it. */
function logLines(state: State, target: Target): readonly LogLine[] {
  if (target.file === undefined) return [line(""), line(describeStep(target), "waiting")];
  const name = displayText(target.file.path.split("/").at(-1) ?? "");
  const file = openFileAt(state, target)?.file ?? "reading";
  const checkedBy = checkedByLines(target, name, file);
  if (checkedBy !== undefined) return checkedBy;
  const { isPreparing, mark } = target.entry ?? {};
  const what = isPreparing ? "its checkout is being prepared, and has printed nothing yet" : "it has printed nothing yet";
  if (file === "absent" && (isPreparing || mark === "running")) return [line(""), line(what, "waiting")];
  if (file === "there") return [line(""), line(`── ${name} ──`, "waiting")];
  return file === "reading" ? [] : noFileLines(name, file);
}

/** The lines of a check that one run makes for several tickets, if another of them has its log. */
function checkedByLines({ entry, ticket }: Target, name: string, file: unknown): readonly LogLine[] | undefined {
  const leader = entry?.train?.at(-1);
  if (leader === undefined || leader === ticket.id || (file !== "there" && file !== "absent")) return undefined;
  const former = file === "there" ? [line(""), line(`── ${name}, of the run before ──`, "waiting")] : [];
  return [line(""), line(`one run checks it with others: see the log of ${displayText(leader)}`, "waiting"), ...former];
}

function noFileLines(name: string, file: "absent" | { readonly refused: string }): readonly LogLine[] {
  const why = file === "absent" ? "it has not been written" : file.refused;
  return [line(""), line(`no ${name}: ${why}`, "waiting")];
}

/** The work of steps without a command, in words. */
const STEP_WORDS: Readonly<Partial<Record<StepKind, string>>> = {
  gates: "it looks at which paths the change touches and at the behaviour of its agent; it runs no command",
  merge: "it makes the checked commit the tip of the base, unless the base has moved; it runs no command",
  assert: "it sets the ticket to done in the tracker, and reads it back; it runs no command",
};

/** Describes the work of a step that has no log, or where its change has landed. */
function describeStep({ entry, ticket }: Target): string {
  const landing = entry?.mark === "passed" && entry.spec?.step === "merge" ? findLanding(ticket) : undefined;
  if (landing !== undefined) return `the change landed as ${landing.sha.slice(0, 12)}`;
  return (entry?.spec && STEP_WORDS[entry.spec.step]) ?? "it runs no command";
}

function costLines(state: State, target: Target): readonly LogLine[] {
  const { ticket } = target;
  const { attempt } = ticket;
  const limits = state.run?.batch.limits;
  return [
    ...ticket.history.map(({ n, costUsd, outcome }) =>
      row(`attempt ${n}`, formatUsd(costUsd), `${outcome}; agent and reviewers`),
    ),
    ...(attempt === undefined ? [] : [agentLine(attempt), reviewerLine(attempt)]),
    line(""),
    row("this ticket", formatUsd(ticketUsd(ticket)), limits && `of ${formatCap(limits.usdPerTicket)} at most`),
    row("one attempt", "", limits && `${formatCap(limits.usdPerAttempt)} at most`),
    row(
      "the run",
      formatUsd(state.run === undefined ? 0 : moneyNow(state.run).spentUsd),
      limits && `of ${formatCap(limits.usdPerRun)} at most`,
    ),
    row("one day, all runs", "", limits && `${formatCap(limits.usdPerDay)} at most`),
    line(""),
    tokenLine(state, target, target.attempt.n),
    ...(isSettled(ticket.phase) && ticket.phase !== "stalled"
      ? []
      : [
          line(
            `${plural(ticket.failures, "attempt counts", "attempts count")} against the ${limits?.attempts ?? "?"} allowed`,
            "waiting",
          ),
        ]),
  ];
}

/** What the agent of the attempt under way has cost; so far, if it is at work and its gateway counts. */
function agentLine({ n, agent, reservedUsd, spentUsd }: NonNullable<Target["ticket"]["attempt"]>): LogLine {
  const name = `attempt ${n}, agent`;
  if (agent?.costUsd !== undefined) return row(name, formatUsd(agent.costUsd));
  if (spentUsd === undefined) return row(name, "unknown", `${formatUsd(reservedUsd)} set aside until it has ended`);
  const left = formatUsd(Math.max(0, reservedUsd - spentUsd));
  return row(name, formatUsd(spentUsd), `so far; ${left} more set aside until it has ended`);
}

function reviewerLine({ asked, questionsUsd }: NonNullable<Target["ticket"]["attempt"]>): LogLine {
  const held = asked === undefined ? "" : `${formatUsd(asked.reservedUsd)} more set aside for what it is being asked`;
  return row("  reviewer", formatUsd(questionsUsd ?? 0), held);
}

/** Columns of the name and of the amount. */
const NAME = 19;
const AMOUNT = 9;

function row(name: string, amount: string, rest = ""): LogLine {
  return line(`${name.padEnd(NAME)}${amount.padStart(AMOUNT)}  ${rest}`.trimEnd());
}

function tokenLine(state: State, target: Target, n: number): LogLine {
  const viewed = openFileAt(state, target);
  const tokens = viewed?.text.tokens;
  if (tokens === undefined) return row(`tokens of attempt ${n}`, "unknown", "its agent has not told");
  const count = (many: number): string => many.toLocaleString("en");
  const part = (viewed?.text.skipped ?? 0) > 0 ? "; from the end of its log alone" : "";
  const all = `${tokenCounts(tokens, count)}${part}`;
  return line(`${`tokens of attempt ${n}`.padEnd(NAME)}  ${all}`, "claim");
}
