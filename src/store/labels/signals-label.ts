import { GATE_LABELS, GATES, type GateLevel, overallLevel, type Signals } from "../../domain/behaviour/signals.ts";
import { type SignalsFact, UNKNOWN_SIGNALS } from "../../domain/run/signals-fact.ts";
import type { Attempt } from "../../domain/run/ticket-state.ts";
import { displayText } from "../format.ts";
import { type EventLabel, STYLES, type Tone, toned } from "./tone.ts";

/** The look of each level of a gate: a mark of one column, and a word. */
export const LEVEL_STYLES: Readonly<Record<GateLevel, { readonly glyph: string; readonly word: string; readonly tone: Tone }>> = {
  pass: { glyph: STYLES.done.glyph, word: "pass", tone: "waiting" },
  warn: { ...STYLES.needsYou, word: "warning" },
  fail: { ...STYLES.failed, word: "fail" },
  skip: { ...STYLES.unknown, word: "unknown" },
};

/** The line of the feed on gates that have become a warning or a failure; undefined if none has. */
export function signalsLabel({ signals, risen = [] }: SignalsFact): EventLabel | undefined {
  if (risen.length === 0) return undefined;
  const words = risen.map(
    (gate) => `${GATE_LABELS[gate]} ${LEVEL_STYLES[signals[gate].level].word}: it ${signals[gate].why ?? ""}`,
  );
  const isFailing = risen.some((gate) => signals[gate].level === "fail");
  return [isFailing ? STYLES.failed : toned(STYLES.needsYou, "waiting"), `behaviour: ${words.join("; ")}`];
}

/** The five signals in words, one line each. */
export function signalsLines(signals: Signals): readonly { readonly text: string; readonly tone: Tone }[] {
  return GATES.map((gate) => {
    const { level, why } = signals[gate];
    const { glyph, word, tone } = LEVEL_STYLES[level];
    const says = why === undefined ? (level === "skip" ? UNKNOWN : "") : `: ${displayText(why)}`;
    return { text: `${glyph} ${GATE_LABELS[gate].padEnd(11)}${word}${says}`, tone: level === "pass" ? "plain" : tone };
  });
}

/** The signals of an attempt that the overview shows: from the launch of its agent on, and after its end only if one is a finding. */
export function shownSignals({ agent, signals = UNKNOWN_SIGNALS }: Pick<Attempt, "agent" | "signals">): Signals | undefined {
  if (agent === undefined) return undefined;
  const level = overallLevel(signals);
  return agent.endedAt !== undefined && level !== "warn" && level !== "fail" ? undefined : signals;
}

/** The signals that are not a pass, for a screen reader; undefined if all of them are, none is known, or there is nothing to show. */
export function spokenSignals(attempt: Pick<Attempt, "agent" | "signals">): string | undefined {
  const signals = shownSignals(attempt);
  if (signals === undefined || overallLevel(signals) === "skip") return undefined;
  const words = GATES.filter((gate) => signals[gate].level !== "pass").map(
    (gate) => `${GATE_LABELS[gate]} ${LEVEL_STYLES[signals[gate].level].word}`,
  );
  return words.length === 0 ? undefined : `behaviour ${words.join(", ")}`;
}

const UNKNOWN = ": its program does not tell";
