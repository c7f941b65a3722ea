import { mostHeals } from "../../../src/domain/batch/heals-spec.ts";
import { healResult } from "../../../src/domain/results/heal-results.ts";
import { interventionKind } from "../../../src/domain/results/intervention.ts";
import { ticketsFrom } from "../../../src/domain/results/linked-tickets.ts";
import { type PastHeal, usedHeals } from "../../../src/domain/run/heals-state.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { displayText, formatClock, formatElapsed, formatUsd } from "../../../src/store/format.ts";
import { EVIDENCE_GROUPS, EVIDENCE_LABELS, VERDICT_LABELS } from "../../../src/store/labels/oracle-label.ts";
import { HEAL_LABELS, REVERTED, STYLES, type Tone } from "../../../src/store/labels/tone.ts";
import type { OracleComparison } from "../../../src/store/oracle-comparison.ts";
import { healDetails } from "../../../src/store/results/heal-lines.ts";
import { judgementText } from "../../../src/store/results/judgement-lines.ts";
import type { Section } from "../../kit/columns.ts";
import { fitTo, textWidth, wrapWords } from "../../kit/fit.ts";
import { cutSpans, linkSpans, type SpanLine, toLink } from "../../kit/spans.tsx";

const LABEL_WIDTH = 8;

interface EvidenceOptions {
  readonly all: readonly OracleComparison[];
  readonly selected: TicketId | undefined;
  readonly idWidth: number;
  readonly width: number;
  /** The page of a ticket; undefined if none is known. */
  readonly url: (id: TicketId) => string | undefined;
}

/**
 * The tickets in order of attention: what the oracle read of each, beside the engine's state. A difference stands out, and the step that is
 * left to a person is whole.
 */
export function evidenceLines(options: EvidenceOptions): readonly SpanLine[] {
  return EVIDENCE_GROUPS.flatMap(({ has }) => options.all.filter(has)).flatMap((each) => {
    const [first = [], ...others] = ticketLines(each, options);
    const links = [toLink(each.id, options.idWidth, options.url(each.id))];
    return [linkSpans(cutSpans(first, options.width), links), ...others];
  });
}

function ticketLines(each: OracleComparison, { selected, idWidth, width }: EvidenceOptions): readonly SpanLine[] {
  const { glyph, tone, word } = EVIDENCE_LABELS[each.said ?? "unknown"];
  const isSelected = each.id === selected;
  const [mark, beside] = engineLabel(each);
  // A difference is shown in full.
  const engine = Math.max(width < ROOMY ? NARROW_ENGINE : ENGINE_WIDTH, mark === undefined ? 0 : textWidth(beside));
  const at = 4 + idWidth + 2 + LABEL_WIDTH + engine + 2;
  const about = describeEvidence(each);
  // The words stand below the states if these leave them little room.
  const [indent, isBelow] = width - at < LEAST_WORDS ? [6 + idWidth, true] : [at, false];
  const words = about === "" ? [] : wrapWords(about, Math.max(20, width - indent - 1));
  const below = (isBelow ? words : words.slice(1)).map((text): SpanLine => [{ text: `${" ".repeat(indent)}${text}` }]);
  const first: SpanLine = [
    { text: isSelected ? "▌" : " ", tone: "running", bold: true },
    { text: `${each.is === "differs" ? STYLES.differs.glyph : glyph} `, tone: mark ?? tone, bold: each.is === "differs" },
    { text: fitTo(each.id, idWidth), bold: true, inverse: isSelected },
    { text: `  ${fitTo(word, LABEL_WIDTH)}`, tone: mark ?? tone, bold: each.said !== undefined },
    { text: fitTo(beside, engine), tone: mark ?? "waiting", bold: mark !== undefined },
    { text: isBelow ? "" : `  ${words[0] ?? ""}` },
  ];
  return [first, ...below];
}

/** The step that the oracle read, and beside it what is built and a person's last act. */
function describeEvidence({ act, built, step }: OracleComparison): string {
  const parts = [step && displayText(step), built, act && `a person: ${displayText(act)}`];
  return parts.filter((part) => part !== undefined && part !== "").join(" · ");
}

/** Columns of the engine's state, in long lines and in others. */
const [ENGINE_WIDTH, NARROW_ENGINE] = [26, 18];
const ROOMY = 80;
/** With less room for them, the words on a ticket have lines of their own. */
const LEAST_WORDS = 30;

/** The engine's state, and a tone if it should stand out. */
function engineLabel({ is, phase }: OracleComparison): readonly [tone: Tone | undefined, text: string] {
  const word = phase === "human-gated" ? "gated" : phase;
  if (is === "differs") return ["bad", `DIFFERS: engine ${word}`];
  return [undefined, `engine: ${word}${is === "moved" ? " since" : ""}`];
}

/** One line per kind of evidence, with its tickets; the count replaces those that do not fit. Heals come last. */
export function panelLines(all: readonly OracleComparison[], run: RunState, width: number): readonly SpanLine[] {
  const groups = EVIDENCE_GROUPS.flatMap(({ glyph, word, tone, has }): SpanLine[] => {
    const ids = all.filter(has).map(({ id }) => id);
    if (ids.length === 0) return [];
    const count = fitTo(String(ids.length), 4, "right");
    const head = ` ${glyph} ${fitTo(word, LABEL_WIDTH)}${count}  `;
    return [
      [
        { text: head, tone, bold: tone === "bad" },
        { text: listed(ids, width - textWidth(head)), tone: "waiting" },
      ],
    ];
  });
  const heals: SpanLine = [
    { text: ` ${STYLES.healed.glyph} ${fitTo("heals", LABEL_WIDTH)}`, tone: "running" },
    { text: `   ${healsCount(run)}`, tone: "waiting" },
  ];
  return [...groups, heals];
}

/** As many names as fit, and the count of the others. */
function listed(ids: readonly TicketId[], width: number): string {
  const more = (shown: number): string => (shown === ids.length ? "" : ` +${ids.length - shown} more`);
  const text = (shown: number): string => `${ids.slice(0, shown).join(" ")}${more(shown)}`;
  let shown = ids.length;
  while (shown > 1 && textWidth(text(shown)) > width) shown -= 1;
  return fitTo(text(shown), Math.max(0, width));
}

/** A summary of the evidence: the number of tickets that the engine sees otherwise, and of those with unknown evidence. */
export function evidenceTitle({
  counts,
  judgedAt,
  total,
}: {
  readonly counts: Readonly<Record<OracleComparison["is"], number>>;
  readonly total: number;
  /** The time of the evidence, by the clock; undefined if none of the last judgement is kept. */
  readonly judgedAt: string | undefined;
}): Section {
  const { differs, unknown, moved } = counts;
  const parts = [
    ...(differs === 0 ? [] : [`${differs} ${differs === 1 ? "DIFFERS" : "DIFFER"} from the engine`]),
    ...(unknown === 0 ? [] : [`${unknown} unknown`]),
    ...(moved === 0 ? [] : [`${moved} moved since`]),
    ...(judgedAt === undefined ? [] : [`of ${judgedAt}`]),
  ];
  const count = [`${total}`, ...parts].join(" · ");
  return { title: "EVIDENCE", tone: differs === 0 ? "oracle" : "bad", count };
}

type HealsOf = Pick<RunState, "heals" | "batch" | "tripwire" | "end">;

/** `1 of 2 · 1 accepted · 1 left`. */
export function healsCount({ heals, batch, end }: HealsOf): string {
  const most = mostHeals(batch);
  if (most === 0 && heals.started === 0) return "off in this batch";
  const used = usedHeals(heals);
  const left = Math.max(0, most - used);
  const rest = end !== undefined ? "" : heals.givenUp === true ? " · no more by itself" : ` · ${left} left`;
  return `${used} of ${most} · ${heals.accepted} accepted${rest}`;
}

/** Every heal, the running one first, then the newest: its reason, its outcome and why, and its changes. */
export function healHistoryLines(run: HealsOf, width: number): readonly SpanLine[] {
  const { running, asked, past } = run.heals;
  const waiting: readonly SpanLine[] =
    asked === undefined
      ? []
      : [
          [
            { text: ` ${STYLES.preparing.glyph} `, tone: STYLES.preparing.tone },
            { text: "requested: begins once the attempts under way are over" },
          ],
        ];
  const now =
    running === undefined
      ? []
      : [
          head(
            STYLES.agent.glyph,
            STYLES.agent.tone,
            `heal ${running.n}`,
            run.end === undefined ? "under way" : "not ended",
            formatClock(running.startedAt),
          ),
          ...under(`now: ${healStageLabel(running)}`, width),
          ...under(`why: ${running.reason}`, width),
        ];
  return [...waiting, ...now, ...past.toReversed().flatMap((heal) => pastLines(heal, run, width))];
}

function pastLines(heal: PastHeal, run: HealsOf, width: number): readonly SpanLine[] {
  const { glyph, tone, word } = heal.reverted === undefined ? HEAL_LABELS[heal.outcome] : REVERTED;
  const isLast = heal.n === run.heals.past.findLast(({ outcome }) => outcome === "accepted")?.n;
  const proof = isLast && heal.reverted === undefined ? proofLabel(run) : "";
  const took = `${formatClock(heal.startedAt)}  ${formatElapsed(heal.endedAt - heal.startedAt)}  ${formatUsd(heal.costUsd)}`;
  const changed = heal.changed.length === 0 ? "nothing" : heal.changed.join(", ");
  return [
    head(glyph, tone, `heal ${heal.n}`, `${word}${proof}`, took),
    ...under(`why: ${heal.reason}`, width),
    ...under(`changed: ${changed}`, width),
    ...under(`end: ${heal.why}`, width),
    ...healDetails(healResult(heal, run.batch)).flatMap((line) => under(line, width)),
  ];
}

/** The current step of a running heal, as far as the journal has it. */
function healStageLabel({ pid }: NonNullable<RunState["heals"]["running"]>): string {
  return pid === undefined ? "a copy of the harness is made for its agent" : "its agent fixes a copy, which is then checked";
}

/** An accepted heal takes effect only once the oracle is proven again. */
function proofLabel({ tripwire }: HealsOf): string {
  if (tripwire.status === "passed") return ", oracle proven since";
  return tripwire.status === "fired" ? ", TRIPWIRE FIRED since" : ", oracle is to be proven";
}

function head(glyph: string, tone: Tone, name: string, word: string, rest: string): SpanLine {
  return [
    { text: ` ${glyph} `, tone },
    { text: `${name}  `, bold: true },
    { text: word, tone },
    { text: `  ${rest}`, tone: "waiting" },
  ];
}

function under(text: string, width: number): readonly SpanLine[] {
  return wrapWords(displayText(text), Math.max(20, width - 5)).map(
    (line): SpanLine => [{ text: `    ${line}`, tone: "waiting" }],
  );
}

/** `2 · 1 work · 1 harness`. */
export function interventionsCount({ interventions }: Pick<RunState, "interventions">): string {
  const work = interventions.filter((each) => interventionKind(each.class) === "work").length;
  return `${interventions.length} · ${work} work · ${interventions.length - work} harness`;
}

/** People's interventions in the run, newest first: time, kind, target, and note. */
export function interventionLines(run: Pick<RunState, "batch" | "interventions" | "plan">, width: number): readonly SpanLine[] {
  return run.interventions.toReversed().flatMap((each): readonly SpanLine[] => {
    const kind = interventionKind(each.class);
    const lead = ` ${formatClock(each.at)}  `;
    const what = `${kind.padEnd(KIND_WIDTH)} ${displayText(each.target)}  `;
    const room = Math.max(20, width - lead.length - what.length - 1);
    const became = ticketsFrom(run, each);
    // A ticket that a person added is the target itself.
    const others = became.filter((id) => id !== each.target);
    const note = others.length === 0 ? each.note : `${each.note} → ${others.join(", ")}`;
    const [first = "", ...rest] = wrapWords(displayText(note), room);
    const indent = " ".repeat(lead.length + what.length);
    return [
      [{ text: lead, tone: "waiting" }, { text: what, tone: "person" }, { text: first }],
      ...rest.map((text): SpanLine => [{ text: indent + text }]),
    ];
  });
}

const KIND_WIDTH = "harness".length;

/** The last judgements of the oracle, newest first. */
export function judgementHistoryLines({ oracle }: Pick<RunState, "oracle">): readonly SpanLine[] {
  return oracle.recent.toReversed().map((each): SpanLine => {
    const { glyph, tone } = VERDICT_LABELS[each.verdict];
    const changed = each.changed === undefined ? "no evidence" : `${each.changed} changed`;
    return [
      { text: ` ${formatClock(each.at)}  `, tone: "waiting" },
      { text: `${glyph} `, tone },
      { text: judgementText(each) },
      { text: ` · ${changed}`, tone: "waiting" },
    ];
  });
}
