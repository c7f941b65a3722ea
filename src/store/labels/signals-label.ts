import { GATE_WORDS, GATES, type GateName, overallLevel, type Signals } from "../../domain/behaviour/signals.ts";
import type { SignalsFact } from "../../domain/run/signals-fact.ts";
import type { Attempt } from "../../domain/run/ticket-state.ts";
import { displayText } from "../format.ts";
import { type EventLabel, STYLES, type Style } from "./tone.ts";

/** A sign for what an agent's behaviour shows, and the cause. */
export interface BehaviourSign extends Style {
  readonly text: string;
}

const isFinding = ({ level }: Signals[GateName]): boolean => level === "warn" || level === "fail";

function findingOf(gate: GateName, { level, why = "" }: Signals[GateName]): BehaviourSign {
  const style = level === "fail" ? STYLES.failed : STYLES.warning;
  return { ...style, text: displayText(`${GATE_WORDS[gate]}${why === "" ? "" : `: it ${why}`}`) };
}

/** What the signals have found, failures first. */
function findings(signals: Signals): readonly BehaviourSign[] {
  const found = GATES.filter((gate) => isFinding(signals[gate]));
  return found
    .toSorted((a, b) => Number(signals[b].level === "fail") - Number(signals[a].level === "fail"))
    .map((gate) => findingOf(gate, signals[gate]));
}

/** The line of the feed on gates that have become a warning or a failure; undefined if none has. */
export function signalsLabel({ signals, risen = [] }: SignalsFact): EventLabel | undefined {
  const [first, ...others] = risen.map((gate) => findingOf(gate, signals[gate]));
  return first && [first, [first, ...others].map(({ text }) => text).join("; ")];
}

/** What the signals of an attempt say, one line each; one line if nothing was found, or nothing is known. */
export function signalsLines(signals: Signals): readonly { readonly text: string; readonly tone: Style["tone"] }[] {
  const found = findings(signals);
  if (found.length > 0) return found.map(({ glyph, text, tone }) => ({ text: `${glyph} ${text}`, tone }));
  if (overallLevel(signals) === "skip")
    return [{ text: `${STYLES.unknown.glyph} unknown: its program does not tell`, tone: "waiting" }];
  return [{ text: `${STYLES.done.glyph} nothing found`, tone: "plain" }];
}

/** The worst finding about the agent of an attempt; undefined if there is none. */
export function behaviourSign({ signals }: Pick<Attempt, "signals">): BehaviourSign | undefined {
  return signals && findings(signals)[0];
}
