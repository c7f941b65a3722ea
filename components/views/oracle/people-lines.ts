import { healResult } from "../../../src/domain/results/heal-results.ts";
import { interventionKind } from "../../../src/domain/results/intervention.ts";
import { ticketsFrom } from "../../../src/domain/results/linked-tickets.ts";
import { type PastHeal, usedHeals } from "../../../src/domain/run/heals-state.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { displayText, formatClock, formatElapsed, formatUsd } from "../../../src/store/format.ts";
import { VERDICT_LABELS } from "../../../src/store/labels/oracle-label.ts";
import { HEAL_LABELS, REVERTED, STYLES, type Tone } from "../../../src/store/labels/tone.ts";
import { healDetails } from "../../../src/store/results/heal-lines.ts";
import { judgementText } from "../../../src/store/results/judgement-lines.ts";
import { wrapWords } from "../../kit/fit.ts";
import type { SpanLine } from "../../kit/spans.tsx";

type HealsOf = Pick<RunState, "heals" | "batch" | "tripwire" | "end">;

/** `1 of 2 · 1 accepted · 1 left`. */
export function healsCount({ heals, batch, end }: HealsOf): string {
  const most = batch.limits.heals;
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

/** People's interventions in the run, newest first: time, class, target, and note. */
export function interventionLines(run: Pick<RunState, "batch" | "interventions" | "plan">, width: number): readonly SpanLine[] {
  return run.interventions.toReversed().flatMap((each): readonly SpanLine[] => {
    const kind = interventionKind(each.class);
    const lead = ` ${formatClock(each.at)}  `;
    const what = ` ${kind.padEnd(KIND_WIDTH)} ${displayText(each.target)}  `;
    const room = Math.max(20, width - lead.length - 2 - what.length - 1);
    const became = ticketsFrom(run, each);
    // A ticket that a person added is the target itself.
    const others = became.filter((id) => id !== each.target);
    const note = others.length === 0 ? each.note : `${each.note} → ${others.join(", ")}`;
    const [first = "", ...rest] = wrapWords(displayText(note), room);
    const indent = " ".repeat(lead.length + 2 + what.length);
    return [
      [{ text: lead, tone: "waiting" }, { text: each.class, tone: "person", bold: true }, { text: what }, { text: first }],
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
