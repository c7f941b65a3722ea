/** The gates of an agent's behaviour, in the order in which they are shown (S3.29). */
export const GATES = ["exist", "relevance", "rootCause", "recall", "momentum"] as const;
export type GateName = (typeof GATES)[number];

/** `skip`: unknown, because the agent's program does not tell what the gate needs. It counts as no finding. */
export type GateLevel = "pass" | "warn" | "fail" | "skip";

/** `why` is one line, safe for a terminal. `isLoop`: the same action is repeated with the same result. */
export interface Gate {
  readonly level: GateLevel;
  readonly why?: string;
  readonly isLoop?: true;
}

/** A signal per gate. All of it is derived from what a program prints, so it advises and never decides (law 2). */
export type Signals = Readonly<Record<GateName, Gate>>;

/** The gates by the names that people read. */
export const GATE_LABELS: Readonly<Record<GateName, string>> = {
  exist: "EXIST",
  relevance: "RELEVANCE",
  rootCause: "ROOT_CAUSE",
  recall: "RECALL",
  momentum: "MOMENTUM",
};

/** What a failed gate says of an agent, for people. */
export const GATE_WORDS: Readonly<Record<GateName, string>> = {
  exist: "looks for what is not there",
  relevance: "off its ticket",
  rootCause: "edits without a cause",
  recall: "forgets its rules",
  momentum: "in circles",
};

/** Characters of a gate's reason. */
export const WHY_CHARS = 240;

const RANK: Readonly<Record<GateLevel, number>> = { skip: 0, pass: 1, warn: 2, fail: 3 };

/** The level of all gates together: fail before warn before pass (S3.15); `skip` only if nothing is known. */
export function overallLevel(levels: Readonly<Record<GateName, Pick<Gate, "level">>>): GateLevel {
  return GATES.map((gate) => levels[gate].level).reduce((worst, level) => (RANK[level] > RANK[worst] ? level : worst));
}

/** The gates that have become a warning or a failure since `before`. */
export function risenGates(before: Signals | undefined, now: Signals): readonly GateName[] {
  return GATES.filter(
    (gate) => RANK[now[gate].level] >= RANK.warn && RANK[now[gate].level] > RANK[before?.[gate].level ?? "pass"],
  );
}

/** True if two sets of signals say the same. */
export function areSameSignals(a: Signals, b: Signals): boolean {
  return GATES.every((gate) => a[gate].level === b[gate].level && a[gate].why === b[gate].why);
}
