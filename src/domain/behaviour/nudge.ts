import type { Batch } from "../batch/schema.ts";
import { plural } from "../values/text.ts";
import { GATE_LABELS, type GateName } from "./signals.ts";

/** Why the agents of a batch cannot be told a line while they work; undefined if they can. */
export function whyNoNudge({ agent, guard }: Pick<Batch, "agent" | "guard">): string | undefined {
  if (guard === false) return "the batch has no guard, whose hook hands it on";
  const isDeaf = agent.kind === "command";
  return isDeaf ? `a program of kind ${agent.kind} has no hook that can tell its agent anything` : undefined;
}

const ADVICE: Readonly<Record<GateName, (count: number) => string>> = {
  exist: (count) => `${plural(count, "time")}, a file, a text or a rule was not there. Look at what is there before you go on.`,
  relevance: (count) => `you have edited ${plural(count, "protected path")}. Take that back: it cannot land.`,
  rootCause: (count) =>
    `you have edited the same file again after ${plural(count, "failed command")}. Find out why it fails before you edit it again.`,
  recall: (count) =>
    `${plural(count, "time")}, your context was shortened or a rule was broken again. Read your task and its rules again before you go on.`,
  momentum: (count) =>
    `${plural(count, "action")} in a row brought nothing new. Try another way, or file what stops you as a blocker.`,
};

/** What an agent is told about a failed gate while it works: one line of the engine's own words, and no word of an agent. */
export function nudgeLine(gate: GateName, count: number): string {
  return `loopdash: ${GATE_LABELS[gate]} has failed: ${ADVICE[gate](count)}`;
}
