import { z } from "zod";
import { TicketId } from "../values/ids.ts";
import { plainText } from "../values/text.ts";
import { type BlockerClaim, CapturedCommand, LeftStep } from "./schema.ts";

/** The file in a healer's folder that holds its answer. */
export const ANSWER_FILE = "answer.json";

/** Characters kept of what a command of a wall printed. The journal holds them. */
const OUTPUT_CHARS = 2_000;

const words = z
  .string()
  .trim()
  .min(1)
  .max(2_000)
  .transform((text) => plainText(text, 2_000).trim())
  .refine((text) => text !== "", "must contain visible text");

const shared = {
  rootCause: words.describe("Why the agents failed"),
  change: words.describe("A gap: what was changed and why; a wall: what was tried instead, and why no text helps"),
  prediction: z
    .array(TicketId)
    .min(1)
    .max(50)
    .readonly()
    .describe("A gap: the tickets that this moves; a wall: those that it blocks"),
};
const Evidence = z.array(CapturedCommand).min(1).max(5).readonly();

/** The answer of a healer. A gap may name commands and a step too; they are not used. */
export const HealerAnswer = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("gap"), ...shared, evidence: Evidence.optional(), humanStep: LeftStep.optional() }),
  z.strictObject({ kind: z.literal("wall"), ...shared, evidence: Evidence, humanStep: LeftStep }),
]);
export type HealerAnswer = z.infer<typeof HealerAnswer>;

/** The part of an answer that a run keeps of every heal. All of it is safe for a terminal. */
export type HealDiagnosis = Pick<HealerAnswer, "kind" | "rootCause" | "change" | "prediction">;

/** The diagnosis of an answer. */
export function pickDiagnosis({ kind, rootCause, change, prediction }: HealerAnswer): HealDiagnosis {
  return { kind, rootCause, change, prediction };
}

/** A healer's wall as a worker's blocker claim, so that both are ruled on alike (law 2). */
export function wallClaim(answer: Extract<HealerAnswer, { kind: "wall" }>): BlockerClaim {
  const { rootCause, change, evidence, humanStep } = answer;
  const bounded = evidence.map(({ output, ...rest }) => ({ ...rest, output: output.slice(-OUTPUT_CHARS) }));
  return {
    claim: `Agents failed at this ticket, and no text helps them: ${humanStep}`,
    wall: rootCause,
    evidence: bounded,
    tried: change,
    humanStep,
  };
}
