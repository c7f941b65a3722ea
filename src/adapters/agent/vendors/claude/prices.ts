import type { Price } from "@loopdash/model-gateway";

/** Anthropic's rule: a write to the short cache costs a quarter more than input. */
const anthropic = (model: string, input: number, output: number, cacheRead: number): Price => ({
  model,
  input,
  output,
  cacheRead,
  cacheWrite: input * 1.25,
});

/**
 * In dollars per million tokens, as of October 2026 (https://platform.claude.com/docs/en/about-claude/pricing). The first match
 * counts, so special names come first.
 */
export const anthropicPrices: readonly Price[] = [
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
];
