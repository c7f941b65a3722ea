import type { Price } from "@loopdash/model-gateway";

/** The price of a Gemini model: a read from the cache costs a tenth of input, and no answer is longer. */
const gemini = (model: string, input: number, output: number): Price => ({
  model,
  input,
  output,
  cacheRead: input / 10,
  cacheWrite: input,
  maxOutput: 65_536,
});

/** The Pro models cost more if a request has more than 200,000 tokens. */
const geminiPro = (model: string, [input, output]: readonly [number, number], long: readonly [number, number]): Price => ({
  ...gemini(model, input, output),
  long: { above: 200_000, input: long[0], output: long[1], cacheRead: long[0] / 10, cacheWrite: long[0] },
});

/**
 * In dollars per million tokens, as of May 2026 (https://ai.google.dev/gemini-api/docs/pricing). By whole names: models for
 * pictures and sound have the same prefixes.
 */
export const geminiPrices: readonly Price[] = [
  geminiPro("gemini-3.1-pro-preview", [2, 12], [4, 18]),
  geminiPro("gemini-3.1-pro-preview-customtools", [2, 12], [4, 18]),
  geminiPro("gemini-3-pro-preview", [2, 12], [4, 18]),
  gemini("gemini-3.5-flash", 1.5, 9),
  gemini("gemini-3-flash-preview", 0.5, 3),
  gemini("gemini-3.1-flash-lite", 0.25, 1.5),
  geminiPro("gemini-2.5-pro", [1.25, 10], [2.5, 15]),
  gemini("gemini-2.5-flash", 0.3, 2.5),
  gemini("gemini-2.5-flash-lite", 0.1, 0.4),
];
