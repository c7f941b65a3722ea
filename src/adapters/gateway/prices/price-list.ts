import type { ModelApi, Price } from "../../../ports/gateway.ts";

/** Anthropic's rule: what is written to the short cache costs a quarter more than input. */
const anthropic = (model: string, input: number, output: number, cacheRead: number): Price => ({
  model,
  input,
  output,
  cacheRead,
  cacheWrite: input * 1.25,
});

/** OpenAI's: writing to the cache costs what input costs. */
const openai = (model: string, input: number, output: number, cacheRead: number): Price => ({
  model,
  input,
  output,
  cacheRead,
  cacheWrite: input,
});

/** Of a Gemini model: what is read from the cache costs a tenth of input, and no answer is longer. */
const gemini = (model: string, input: number, output: number): Price => ({
  model,
  input,
  output,
  cacheRead: input / 10,
  cacheWrite: input,
  maxOutput: 65_536,
});

/** The Pro models cost more where a request has more than 200,000 tokens. */
const geminiPro = (model: string, [input, output]: readonly [number, number], long: readonly [number, number]): Price => ({
  ...gemini(model, input, output),
  long: { above: 200_000, input: long[0], output: long[1], cacheRead: long[0] / 10, cacheWrite: long[0] },
});

/**
 * What models cost, in dollars per million tokens, as the vendors' lists had it in October 2026
 * (https://platform.claude.com/docs/en/about-claude/pricing) and May 2026 (https://developers.openai.com/api/docs/pricing,
 * https://ai.google.dev/gemini-api/docs/pricing). Gemini's stand by their whole names: those of pictures and sound begin alike.
 * The first that fits counts, so what is special stands first. A batch's own prices go before all of these.
 */
export const PRICE_LIST: Readonly<Record<ModelApi, readonly Price[]>> = {
  anthropic: [
    anthropic("claude-fable-5-1*", 10, 50, 0.25),
    anthropic("claude-mythos-5-1*", 10, 50, 0.25),
    anthropic("claude-fable-5*", 10, 50, 1),
    anthropic("claude-mythos-5*", 10, 50, 1),
    anthropic("claude-opus-5-5*", 4, 20, 0.2),
    anthropic("claude-opus-5*", 5, 25, 0.5),
    anthropic("claude-opus-4-5*", 5, 25, 0.5),
    anthropic("claude-opus-4-6*", 5, 25, 0.5),
    anthropic("claude-opus-4-7*", 5, 25, 0.5),
    anthropic("claude-opus-4-8*", 5, 25, 0.5),
    anthropic("claude-opus-4*", 15, 75, 1.5),
    anthropic("claude-sonnet-5-5*", 2, 10, 0.1),
    anthropic("claude-sonnet-5*", 2, 10, 0.2),
    anthropic("claude-sonnet-4*", 3, 15, 0.3),
    {
      ...anthropic("claude-haiku-5-5*", 0.1, 0.5, 0.01),
      long: { above: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
    },
    anthropic("claude-haiku-4*", 1, 5, 0.1),
  ],
  openai: [
    openai("gpt-5.5*", 5, 30, 0.5),
    openai("gpt-5.4-mini*", 0.75, 4.5, 0.075),
    openai("gpt-5.4*", 2.5, 15, 0.25),
    openai("gpt-5.3-codex*", 1.75, 14, 0.175),
    openai("gpt-5.2*", 1.75, 14, 0.175),
    openai("gpt-5-mini*", 0.25, 2, 0.025),
    openai("gpt-5.1-codex*", 1.25, 10, 0.125),
    openai("gpt-5-codex*", 1.25, 10, 0.125),
  ],
  gemini: [
    geminiPro("gemini-3.1-pro-preview", [2, 12], [4, 18]),
    geminiPro("gemini-3.1-pro-preview-customtools", [2, 12], [4, 18]),
    geminiPro("gemini-3-pro-preview", [2, 12], [4, 18]),
    gemini("gemini-3.5-flash", 1.5, 9),
    gemini("gemini-3-flash-preview", 0.5, 3),
    gemini("gemini-3.1-flash-lite", 0.25, 1.5),
    geminiPro("gemini-2.5-pro", [1.25, 10], [2.5, 15]),
    gemini("gemini-2.5-flash", 0.3, 2.5),
    gemini("gemini-2.5-flash-lite", 0.1, 0.4),
  ],
};
