import type { Incident } from "../../domain/results/incident.ts";
import { INTERVENTION_WORDS, type Intervention } from "../../domain/results/intervention.ts";
import { awaitsApproval, describeAwaited } from "../../domain/run/approval.ts";
import type { AttemptOutcome } from "../../domain/run/attempt-fact.ts";
import type { OutageSource } from "../../domain/run/outage-fact.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { PastAttempt, TicketState } from "../../domain/run/ticket-state.ts";
import type { OracleState, PastJudgement } from "../../domain/run/verdict-state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { plural } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { displayText, formatAge } from "../format.ts";
import { outageUnderWay } from "../labels/progress-label.ts";
import { HEAL_LABELS, REVERTED, STYLES, type Style } from "../labels/tone.ts";

/** What has become of an attempt, or of what else counts: the feed's lines, and their kind for those who come back. */
export interface OutcomeLine {
  readonly at: number;
  readonly glyph: string;
  readonly tone: Style["tone"];
  /** Safe to draw. */
  readonly text: string;
  readonly ticket?: TicketId;
  readonly kind: "landed" | "broke" | "retried" | "yours" | "ended" | "found" | "decided" | "oracle" | "run";
  /** The cause alone, safe to draw. */
  readonly cause?: string;
  /** Of what broke: it is over. */
  readonly isOver?: boolean;
}

/** A line before it has its time and ticket. */
type Said = Omit<OutcomeLine, "at" | "ticket" | "glyph" | "tone"> & { readonly style: Style; readonly at?: number };

const OUTCOME_CAUSES: Readonly<Partial<Record<AttemptOutcome, string>>> = {
  silent: "silent for too long",
  "out-of-time": "out of time",
  killed: "killed by a person",
  closed: "a person closed the ticket",
  lost: "lost with its engine",
};

/** Steps whose evidence does not say which step it was. */
const NAMED_STEPS: ReadonlySet<string> = new Set(["review", "adversary", "merge", "plan", "prepare"]);

/** Why an attempt ended, in a few words that begin with the cause. */
export function attemptCause({ outcome, failedAt, summary }: Pick<PastAttempt, "outcome" | "failedAt" | "summary">): string {
  const cause = OUTCOME_CAUSES[outcome] ?? (summary === "" ? outcome : summary);
  return displayText(failedAt !== undefined && NAMED_STEPS.has(failedAt) ? `${failedAt}: ${cause}` : cause);
}

/** The beginning of a cause: where it stands and how it was found come behind it. */
export function shortCause(cause: string): string {
  return (/^[^;(]+/.exec(cause)?.[0] ?? cause).trim();
}

/** The cause of an attempt's end in a few words: those before a colon, unless they are the name of a step alone or begin with a number. */
export function causeWords(past: Pick<PastAttempt, "outcome" | "failedAt" | "summary">): string {
  const cause = shortCause(attemptCause(past));
  const [head = "", rest] = cause.split(":", 2);
  return rest === undefined || /^\d/.test(head) || !head.includes(" ") ? cause : head;
}

/** The size of a landing in words: `+12 −3 · 2 tests more`. */
function sizeText({ landedWith }: TicketState): readonly string[] {
  const { additions, deletions = 0, tests } = landedWith ?? {};
  const lines = additions === undefined ? [] : [`+${additions} −${deletions}`];
  if (tests === undefined) return lines;
  const { added, removed } = tests;
  return [...lines, ...(added > 0 ? [`${plural(added, "test")} more`] : []), ...(removed > 0 ? [`${removed} fewer`] : [])];
}

function landedLine(ticket: TicketState, { n }: PastAttempt): Said {
  return { kind: "landed", style: STYLES.done, text: [numbered("landed", n), ...sizeText(ticket)].join(" · ") };
}

/** `landed, attempt 3`; the first attempt needs no number. */
function numbered(word: string, n: number): string {
  return n === 1 ? word : `${word}, attempt ${n}`;
}

/** The landing of an attempt whose live check has failed: reverted, live by now, given up, or still being checked. */
function notLiveLine(ticket: TicketState, past: PastAttempt): Said {
  const { live, reverted, phase } = ticket;
  const cause = attemptCause(past);
  if (reverted !== undefined && isLandingOf(ticket, past, reverted.at)) {
    const text = `attempt ${past.n} broke its base: ${cause}; reverted after ${formatAge(reverted.at - past.endedAt)}`;
    return { kind: "broke", style: STYLES.again, text, cause, isOver: true, at: reverted.at };
  }
  if (live?.attempt !== past.n)
    return { kind: "broke", style: STYLES.again, text: `attempt ${past.n} landed, not live: ${cause}`, cause, isOver: true };
  const passed = live.history.at(-1);
  if (phase === "done") {
    const text = numbered(`live at check ${live.history.length}`, past.n);
    const at = passed?.at ?? past.endedAt;
    const late = `live after ${formatAge(at - past.endedAt)}`;
    return { kind: "landed", style: STYLES.done, text: [text, ...sizeText(ticket)].join(" · "), at, cause: late };
  }
  if (live.givenUp !== undefined) return yours(`landed, not live, and no longer checked: ${live.givenUp}`);
  const next = live.revert === undefined ? plural(live.failed, "failed check") : "its change is being reverted";
  return { kind: "broke", style: STYLES.failed, text: `landed, not live (${next}): ${cause}`, cause, isOver: false };
}

/** True if an attempt is the last one that landed before this time. */
function isLandingOf({ history }: TicketState, past: PastAttempt, at: number): boolean {
  return past === history.findLast(({ outcome, endedAt }) => LANDINGS.has(outcome) && endedAt <= at);
}

const LANDINGS: ReadonlySet<AttemptOutcome> = new Set(["landed", "done", "gated"]);

function yours(text: string): Said {
  return { kind: "yours", style: STYLES.needsYou, text: displayText(text) };
}

/** The end of an attempt that nobody's failure was: a stop, an outage, or the wait for an approval. */
function stoppedLine(ticket: TicketState, past: PastAttempt): Said {
  const { approval } = ticket;
  const isLast = ticket.attempt === undefined && ticket.history.at(-1) === past;
  if (past.passedBeforeApproval === undefined) {
    const cause = past.summary === "" ? "" : `: ${past.summary}`;
    return { kind: "ended", style: STYLES.cutOff, text: displayText(`attempt ${past.n} cut off${cause}`) };
  }
  if (isLast && awaitsApproval(ticket) && approval !== undefined)
    return yours(`waits for your approval of ${describeAwaited(approval)}`);
  const text = `attempt ${past.n} passed its checks; ${past.summary}`;
  return { kind: "ended", style: STYLES.heldUp, text: displayText(text) };
}

function gatedLine({ humanStep, mergedSha, phase }: TicketState, { n }: PastAttempt): Said {
  const landed = mergedSha === undefined ? "" : `landed ${mergedSha.slice(0, 7)}; `;
  if (phase === "human-gated") return { ...yours(`${landed}yours: ${humanStep ?? "a step"}`), ...(landed && { kind: "landed" }) };
  return { kind: "ended", style: STYLES.again, text: `attempt ${n} was left to a person` };
}

function failedLine(past: PastAttempt): Said {
  const cause = attemptCause(past);
  return { kind: "retried", style: STYLES.again, text: `attempt ${past.n}: ${cause}`, cause };
}

function attemptLine(ticket: TicketState, past: PastAttempt): Said {
  switch (past.outcome) {
    case "done":
      if (ticket.reverted !== undefined && isLandingOf(ticket, past, ticket.reverted.at)) return notLiveLine(ticket, past);
      return landedLine(ticket, past);
    case "landed":
      return notLiveLine(ticket, past);
    case "planned":
      return { kind: "ended", style: STYLES.answer, text: `attempt ${past.n}: its plan is approved` };
    case "gated":
      return gatedLine(ticket, past);
    case "stopped":
      return stoppedLine(ticket, past);
    case "lost":
    case "closed":
      return { kind: "ended", style: STYLES.cutOff, text: `attempt ${past.n} ended: ${attemptCause(past)}` };
    default:
      return failedLine(past);
  }
}

/** The lines of a ticket: one for each attempt that has ended, and those of its discovery and its end, if no attempt tells them. */
const ticketLines = remembered((ticket: TicketState): readonly OutcomeLine[] => {
  const { endedAt = 0, foundBy, history, humanStep, id, joinedAt, phase, stalledReason } = ticket;
  const line = ({ style, ...said }: Said, at: number): OutcomeLine => ({
    at,
    ticket: id,
    glyph: style.glyph,
    tone: style.tone,
    ...said,
  });
  const joined = foundBy === undefined ? "added by a person" : `found by ${foundBy}`;
  const isLeft = phase === "human-gated" && history.at(-1)?.outcome !== "gated";
  return [
    ...(joinedAt === undefined ? [] : [line({ kind: "found", style: STYLES.found, text: joined }, joinedAt)]),
    ...history.map((past) => line(attemptLine(ticket, past), past.endedAt)),
    ...(isLeft && ticket.approval === undefined && endedAt > 0 ? [line(yours(`yours: ${humanStep ?? "a step"}`), endedAt)] : []),
    ...(phase === "stalled"
      ? [line(yours(`stalled: ${stalledReason ?? "no attempt is left"}`), endedAt || (joinedAt ?? 0))]
      : []),
  ];
});

/** One line for each count of the oracle that differs from the one before, and for each reason why it could not judge. */
const oracleLines = remembered((recent: OracleState["recent"]): readonly OutcomeLine[] => {
  const said = (judgement: PastJudgement | undefined) => judgement && judgementText(judgement);
  return recent.flatMap((each, i) => {
    if (said(each) === said(recent[i - 1])) return [];
    const tone = { done: "good", "not-done": "oracle", unjudged: "bad" } as const;
    return [{ at: each.at, kind: "oracle", glyph: STYLES.oracle.glyph, tone: tone[each.verdict], text: judgementText(each) }];
  });
});

function judgementText({ verdict, counts: { done, gated, open }, problem }: PastJudgement): string {
  if (verdict === "unjudged") return displayText(`oracle cannot judge: ${problem ?? "no reason given"}`);
  return `oracle: ${verdict === "done" ? "done" : "not done"}, ${done} done, ${gated} gated, ${open} open`;
}

/** What people did to the run. */
const decisionLines = remembered((all: readonly Intervention[]): readonly OutcomeLine[] =>
  all.map(({ at, class: kind, note, target }) => {
    const cause = displayText(note === "" ? INTERVENTION_WORDS[kind] : note);
    return { at, kind: "decided", ...STYLES.person, ticket: target as TicketId, text: `a person: ${cause}`, cause };
  }),
);

/** What broke without an attempt of which it is told: a base that somebody else broke, and a ticket that was done and then not. */
const incidentLines = remembered((all: readonly Incident[]): readonly OutcomeLine[] =>
  all.flatMap((incident): readonly OutcomeLine[] => {
    const { at, endedAt, kind, repo = "", summary, ticket } = incident;
    if (kind === "live-check" || all.some((each) => each.kind === "live-check" && each.at === at)) return [];
    const isOver = endedAt !== undefined;
    const cause = displayText(summary);
    const what =
      kind === "reopened"
        ? "done, then found not done"
        : isOver
          ? `the base of ${repo} was broken`
          : `the base of ${repo} is broken`;
    const over = isOver ? `; over after ${formatAge(endedAt - at)}` : "";
    const style = isOver ? STYLES.again : STYLES.failed;
    return [
      { at, kind: "broke", ...style, ...(ticket && { ticket }), text: displayText(`${what}: ${cause}${over}`), cause, isOver },
    ];
  }),
);

/** The start, heals, outages under way, and the end. */
function runLines({ startedAt, plan, workers, heals, outages = {}, end }: RunState): readonly OutcomeLine[] {
  const line = (at: number, style: Style, text: string): OutcomeLine => ({
    ...{ at, kind: "run", glyph: style.glyph, tone: style.tone, text: displayText(text) },
  });
  const away = Object.entries(outages).map(([what, outage]) => ({ what: what as OutageSource, ...outage }));
  return [
    line(startedAt, STYLES.run, `run started: ${plural(plan.tickets.length, "ticket")}, ${plural(workers, "worker")}`),
    ...heals.past.map(({ n, endedAt, outcome, reverted, why }) => {
      const label = reverted === undefined ? HEAL_LABELS[outcome] : REVERTED;
      return line(endedAt, label, `heal ${n} ${label.word}: ${reverted ?? why}`);
    }),
    ...away.map((outage) => line(outage.since, STYLES.heldUp, outageUnderWay(outage, outage.tries))),
    ...(end === undefined
      ? []
      : [line(end.at, end.verdict === "done" ? STYLES.done : STYLES.failed, `run ended: ${end.reason}`)]),
  ];
}

/**
 * What has become of everything, oldest first: a line per ticket and attempt, which is another one when that changes. It follows from
 * the state alone, so it is as long for a dashboard that has just attached.
 */
export function outcomeLines(run: RunState): readonly OutcomeLine[] {
  const tickets = [...vecItems(run.tickets)].flatMap(ticketLines);
  const others = [...oracleLines(run.oracle.recent), ...decisionLines(run.interventions), ...incidentLines(run.incidents)];
  return [...runLines(run), ...tickets, ...others].toSorted((a, b) => a.at - b.at);
}

/** The same result for the same object: states share what has not changed. */
function remembered<K extends object>(make: (key: K) => readonly OutcomeLine[]): (key: K) => readonly OutcomeLine[] {
  const known = new WeakMap<K, readonly OutcomeLine[]>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
