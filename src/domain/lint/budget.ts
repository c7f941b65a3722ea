/** Tokens per word of a prompt: an estimate (S2.9). */
const TOKENS_PER_WORD = 1.3;

/** The size of a text that an agent reads. */
export interface TextSize {
  readonly lines: number;
  readonly words: number;
  /** An estimate. */
  readonly tokens: number;
}

export function measureText(text: string): TextSize {
  const words = text.match(/\S+/g)?.length ?? 0;
  const lines = text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
  return { lines, words, tokens: Math.round(words * TOKENS_PER_WORD) };
}

/** What is beyond a budget, in words; empty if nothing is. */
export function overBudget(size: TextSize, budget: Partial<Record<keyof TextSize, number | undefined>>): string {
  const units = (["lines", "words", "tokens"] as const).filter((unit) => size[unit] > (budget[unit] ?? Number.POSITIVE_INFINITY));
  return units
    .map((unit) => `${size[unit]} ${unit === "tokens" ? "tokens (an estimate: words × 1.3)" : unit} of ${budget[unit]}`)
    .join(", ");
}
