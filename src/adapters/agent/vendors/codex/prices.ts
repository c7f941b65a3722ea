import type { Price } from "@loopdash/model-gateway";

/** OpenAI's rule: a write to the cache costs as much as input. */
const openai = (model: string, input: number, output: number, cacheRead: number): Price => ({
  model,
  input,
  output,
  cacheRead,
  cacheWrite: input,
});

/**
 * In dollars per million tokens, as of May 2026 (https://developers.openai.com/api/docs/pricing). The first match counts, so
 * special names come first.
 */
export const openaiPrices: readonly Price[] = [
  openai("gpt-5.5*", 5, 30, 0.5),
  openai("gpt-5.4-mini*", 0.75, 4.5, 0.075),
  openai("gpt-5.4*", 2.5, 15, 0.25),
  openai("gpt-5.3-codex*", 1.75, 14, 0.175),
  openai("gpt-5.2*", 1.75, 14, 0.175),
  openai("gpt-5-mini*", 0.25, 2, 0.025),
  openai("gpt-5.1-codex*", 1.25, 10, 0.125),
  openai("gpt-5-codex*", 1.25, 10, 0.125),
];
