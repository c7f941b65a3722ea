import { expect, test } from "vitest";
import { words } from "./sample.ts";

const limits = { countOtherSessions: true };
const vendor = (kind: string, model: string) => ({ kind, model, apiKeyEnv: "KEY" });
const claude = vendor("claude", "claude-sonnet-4-5");
const codex = vendor("codex", "gpt-5.3-codex");

test.for([
  ["claude", { agent: claude }],
  ["codex", { agent: codex }],
  ["claude, reviewed by codex", { agent: claude, reviewer: codex }],
] as const)("other sessions of %s can be counted", ([, part]) => {
  expect(words({ ...part, limits })).toEqual([""]);
});

test.for([
  ["a command", "command", {}],
  ["gemini", "gemini", { agent: vendor("gemini", "gemini-2.5-pro") }],
  ["opencode", "opencode", { agent: vendor("opencode", "openai/gpt-5.5") }],
  ["a reviewer of another kind", "gemini", { agent: claude, reviewer: vendor("gemini", "gemini-2.5-pro") }],
] as const)("those of %s cannot, and nobody is told that they are", ([, kind, part]) => {
  const why = `only for claude and codex: nobody can tell what other sessions of the kind "${kind}" have cost; leave it out`;
  expect(words({ ...part, limits })).toEqual([`limits.countOtherSessions: ${why}`]);
  expect(words({ ...part })).toEqual([""]);
});
