import { type AskedReviewer, PARTY_NAMES, type ReviewerParty, reviewerParty } from "../../domain/batch/party.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { type StepKind, type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import { awaitsApproval } from "../../domain/run/approval.ts";
import type { AttemptOutcome, Question } from "../../domain/run/attempt-fact.ts";
import type { EventOf, RunEvent } from "../../domain/run/event.ts";
import type { HealOutcome } from "../../domain/run/heal-fact.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { PastAttempt, TicketState } from "../../domain/run/ticket-state.ts";
import { displayText } from "../format.ts";

/**
 * The meaning of a piece of text. Views turn a tone into colour, and always show it with a glyph and a word as well. `claim`
 * marks a worker's words, `oracle` the judge's; the two never share a style.
 */
export type Tone = "plain" | "running" | "waiting" | "good" | "bad" | "person" | "oracle" | "claim";

/** A glyph and its tone. */
export interface Style {
  readonly glyph: string;
  readonly tone: Tone;
}

/** A style and its meaning in a word or two. */
export interface Label extends Style {
  readonly word: string;
}

/**
 * The style of each state of a ticket, of an attempt and of a step: in every view, in the page, and in plain output. The help
 * explains them.
 */
export const STYLES = {
  oracle: { glyph: "◆", tone: "oracle" },
  claim: { glyph: '"', tone: "claim" },
  agent: { glyph: "▶", tone: "running" },
  finishing: { glyph: "»", tone: "running" },
  step: { glyph: "▸", tone: "running" },
  preparing: { glyph: "◌", tone: "waiting" },
  ready: { glyph: "○", tone: "running" },
  waits: { glyph: "·", tone: "waiting" },
  heldUp: { glyph: "‖", tone: "waiting" },
  ending: { glyph: "■", tone: "bad" },
  cutOff: { glyph: "■", tone: "waiting" },
  needsYou: { glyph: "!", tone: "person" },
  warning: { glyph: "△", tone: "plain" },
  failed: { glyph: "✖", tone: "bad" },
  landed: { glyph: "≈", tone: "running" },
  done: { glyph: "✔", tone: "good" },
  open: { glyph: "□", tone: "plain" },
  notNeeded: { glyph: "–", tone: "waiting" },
  unreached: { glyph: "-", tone: "waiting" },
  unknown: { glyph: "?", tone: "waiting" },
  unjudged: { glyph: "?", tone: "bad" },
  differs: { glyph: "≠", tone: "bad" },
  healed: { glyph: "✚", tone: "good" },
  again: { glyph: "↻", tone: "plain" },
  found: { glyph: "+", tone: "running" },
  answer: { glyph: "◇", tone: "plain" },
  person: { glyph: "@", tone: "plain" },
  run: { glyph: "●", tone: "running" },
  paused: { glyph: "⏸", tone: "person" },
  disconnected: { glyph: "✕", tone: "bad" },
  replay: { glyph: "▷", tone: "running" },
} as const satisfies Readonly<Record<string, Style>>;

/** The cells of a bar of tickets, and of a bar of time: what is done, what is left to a person, and the rest. */
export const BAR_CELLS = { done: "■", gated: "▣", open: "□" } as const;

/** A style in another tone. */
export function toned({ glyph }: Style, tone: Tone): Style {
  return { glyph, tone };
}

/** A line of the feed: its style and its text. */
export type EventLabel = readonly [style: Style, text: string];

/** The line of each event; undefined if it is not worth one. */
export type EventLabels = {
  readonly [K in RunEvent["type"]]: (event: EventOf<K>, state: RunState) => EventLabel | undefined;
};

/**
 * The end of an attempt for a person. Nobody has stopped one that ended to wait for an approval. `held`: it has not ended, and nothing
 * of it runs while the journal cannot be written.
 */
export type ShownEnd = AttemptOutcome | "awaits-approval" | "awaited-approval" | "held";

/** The end of an attempt of this ticket; a landing that has become live since is done. */
export function attemptEnd(ticket: TicketState, { n, outcome, passedBeforeApproval }: PastAttempt): ShownEnd {
  if (outcome === "landed" && ticket.phase === "done" && ticket.live?.attempt === n) return "done";
  if (passedBeforeApproval === undefined) return outcome;
  const isLast = ticket.attempt === undefined && ticket.history.at(-1)?.n === n;
  return isLast && awaitsApproval(ticket) ? "awaits-approval" : "awaited-approval";
}

const OUTCOMES: Readonly<Record<ShownEnd, Label>> = {
  done: { ...STYLES.done, word: "shipped" },
  landed: { ...STYLES.landed, word: "landed, not live" },
  planned: { ...STYLES.answer, word: "planned" },
  failed: { ...STYLES.failed, word: "failed" },
  silent: { ...STYLES.failed, word: "silent for too long" },
  "out-of-time": { ...STYLES.failed, word: "out of time" },
  killed: { ...STYLES.failed, word: "killed" },
  gated: { ...STYLES.needsYou, word: "left to a person" },
  closed: { ...STYLES.cutOff, word: "closed by a person" },
  stopped: { ...STYLES.cutOff, word: "cut off" },
  "awaits-approval": { ...STYLES.needsYou, word: "waits for approval" },
  "awaited-approval": { ...STYLES.heldUp, word: "waited for approval" },
  held: { ...STYLES.heldUp, word: "held" },
  lost: { ...STYLES.cutOff, word: "lost with its engine" },
};

/** The outcome of an attempt; without one it is running, or its end was never recorded. `live`: an engine works on the run. */
export function outcomeLabel(outcome: ShownEnd | undefined, live: boolean): Label {
  return outcome === undefined ? underWayLabel(live) : OUTCOMES[outcome];
}

/** The label of a part without an end. Without an engine it no longer runs. */
export function underWayLabel(live: boolean): Label {
  return live ? { ...STYLES.agent, word: "at work" } : { ...STYLES.cutOff, word: "cut off" };
}

/** The outcome of a heal. */
export const HEAL_LABELS: Readonly<Record<HealOutcome, Label>> = {
  accepted: { ...STYLES.healed, word: "accepted" },
  rejected: { ...STYLES.failed, word: "rejected" },
  failed: { ...STYLES.failed, word: "failed" },
  nothing: { ...STYLES.waits, word: "came to nothing" },
  wall: { ...STYLES.needsYou, word: "claims a wall" },
  lost: { ...STYLES.failed, word: "lost with its engine" },
};

/** A heal that was undone, because the proof of the oracle after it failed. */
export const REVERTED: Label = { ...STYLES.failed, word: "undone: the tripwire rejected it" };

/** A step as people name it: `check tests`, `merge`. */
export function stepLabel(kind: StepKind, name: string): string {
  return name === kind || name === "" ? kind : `${kind} ${displayText(name)}`;
}

/** A step of the finish line by its own name. */
export function specLabel(spec: StepSpec): string {
  const label = stepLabel(spec.step, stepName(spec));
  return spec.step === "review" && spec.by === "second" ? `${label} (second reviewer)` : label;
}

/** The name of a question: those of the finish line by their steps, those on a blocker and a plan by their subjects. */
const QUESTIONS: Readonly<Record<Question, string>> = {
  review: "review",
  adversary: "adversary",
  adjudicate: "blocker",
  plan: "plan",
};

export function questionLabel(question: Question): string {
  return QUESTIONS[question];
}

/**
 * A reviewer's name for people: its program, with its model if the batch names one. `asked`: a question or an answer; default: one of the
 * first reviewer.
 */
export function reviewerLabel(
  run: { readonly batch: Pick<Batch, ReviewerParty> } | undefined,
  asked: AskedReviewer = {},
): string {
  const party = reviewerParty(asked);
  const spec = run?.batch[party];
  if (spec === undefined || spec.kind === "command") return `the ${PARTY_NAMES[party]}`;
  const { kind, model = kind } = spec;
  const name = displayText(model.startsWith(kind) ? model : `${kind} ${model}`);
  return party === "reviewer" ? name : `${name} (second reviewer)`;
}
