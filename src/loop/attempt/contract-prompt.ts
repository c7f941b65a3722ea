import { fence } from "@loopdash/values";
import type { Ticket } from "../../domain/batch/schema.ts";
import { type Contract, isCriterion, stepName } from "../../domain/batch/step-spec.ts";
import { askedPhase } from "../../domain/run/asked-phase.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { boundedHead, plainText } from "../../domain/values/text.ts";

/** Characters that a contract adds to a prompt: its text, which is never cut, and lists that are. */
export const PROMPT_CONTRACT_CHARS = 24_000;
const LIST_CHARS = 2_500;
const LINE_CHARS = 500;

const HEAD = `### The contract of this ticket
People wrote it, and it was frozen when the run began: a change to its file has no effect. Each criterion is a step of the finish
line below, which the engine runs on your change. No word of yours counts as proof that one is met.
`;

/** A ticket's contract for the prompt; empty if it has none. `evidence` is of its failed attempts, the oldest first. */
export function contractPrompt({ contract, finish }: Ticket, evidence: readonly Evidence[]): string {
  if (contract === undefined) return "";
  const criteria = finish.filter(isCriterion).map((step) => `"${stepName(step)}"`);
  return [
    `\n\n${HEAD}`,
    ...(contract.body === "" ? [] : [fence(contract.body)]),
    `Its criteria, by the names of their steps: ${boundedHead(criteria.join(", "), LIST_CHARS)}.\n`,
    ...phaseLines(contract, evidence),
    ...ruleLines(contract),
    ...boundLines(contract),
  ].join("\n");
}

function phaseLines({ phases }: Contract, evidence: readonly Evidence[]): readonly string[] {
  const asked = askedPhase({ phases }, evidence);
  if (phases === undefined || asked === undefined) return [];
  const lines = phases.map(({ name, criteria }, i) => {
    const held = i < asked ? " (held for the last change)" : "";
    return `${i + 1}. "${name}", whose checkpoint is ${criteria.map((each) => `"${each}"`).join(", ")}${held}`;
  });
  const next = phases[asked];
  const told =
    next === undefined
      ? "All checkpoints held for the last change; what failed came after them."
      : asked === 0
        ? `Begin with the phase "${next.name}".`
        : `Begin with the phase "${next.name}": bring back what the last change did for the phases before it, then go on.`;
  return [
    `Work in these phases, in this order. One change brings all of them, and all checkpoints run again at the end:`,
    boundedHead(lines.join("\n"), LIST_CHARS),
    `${told}\n`,
  ];
}

function ruleLines({ safety }: Contract): readonly string[] {
  if (safety === undefined) return [];
  const { only, files, rules = [] } = safety;
  const enforced = [
    ...(only === undefined ? [] : [`- Touch no other paths than these: ${boundedHead(only.join(", "), LIST_CHARS)}`]),
    ...(files === undefined ? [] : [`- Touch at most ${files} files.`]),
  ];
  return [
    ...(enforced.length === 0 ? [] : [`The engine refuses a change that breaks these rules:\n${enforced.join("\n")}\n`]),
    ...(rules.length === 0 ? [] : [`Rules of the people who wrote the contract:\n${toldRules(rules)}\n`]),
  ];
}

function toldRules(rules: readonly string[]): string {
  return fence(boundedHead(rules.map((rule) => `- ${plainText(rule, LINE_CHARS)}`).join("\n"), LIST_CHARS)).trimEnd();
}

function boundLines({ stopWhen = {} }: Contract): readonly string[] {
  const { minutes, usd, sameFailure } = stopWhen;
  const bounds = [
    ...(minutes === undefined ? [] : [`${minutes} min of agents`]),
    ...(usd === undefined ? [] : [`$ ${usd}`]),
    ...(sameFailure === undefined ? [] : [`${sameFailure} equal failures in a row`]),
  ];
  return bounds.length === 0 ? [] : [`Work on the ticket stops after ${bounds.join(", or ")}.\n`];
}
