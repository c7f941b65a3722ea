import { z } from "zod";
import { HumanStep } from "../run/command.ts";
import { RepoId } from "../values/ids.ts";
import { plainText } from "../values/text.ts";

/** A ticket that a worker found, as it writes it. */
export const Discovery = z.strictObject({
  title: z.string().trim().min(1).max(200),
  body: z.string().max(16_000).default(""),
  repo: RepoId.optional(),
  /** True if its finder cannot be done before it. */
  blocks: z.boolean().default(false),
  reason: z.string().trim().min(1).max(1_000),
});
export type Discovery = z.infer<typeof Discovery>;

/** One word of a command. No program can be given a NUL byte. */
const Word = z
  .string()
  .min(1)
  .max(4_096)
  .refine((word) => !word.includes("\0"), "must hold no NUL character");

/** A command that the worker ran, and its output. The engine runs it again. */
export const CapturedCommand = z.strictObject({
  command: z.array(Word).min(1).max(64).readonly().describe("A program and its arguments; no shell reads it"),
  exitCode: z.number().int().min(0).max(255).describe("The exit code that it ended with"),
  output: z.string().max(16_000).describe("What it printed"),
});
export type CapturedCommand = z.infer<typeof CapturedCommand>;

/** The exact step that a claim leaves to a person, as a terminal shows it. */
export const LeftStep = HumanStep.transform((step) => plainText(step).trim()).refine(
  (step) => step !== "",
  "say the exact step that is left",
);

/** A blocker outside the code, as a worker claims it. */
export const BlockerClaim = z.strictObject({
  claim: z.string().trim().min(1).max(2_000).describe("What cannot be done"),
  wall: z
    .string()
    .trim()
    .min(1)
    .max(2_000)
    .describe("What stands in the way: who owns it, and why nothing in the repository can change it"),
  evidence: z.array(CapturedCommand).min(1).max(5).readonly().describe("Commands that fail by the wall, as they were run"),
  tried: z.string().trim().min(1).max(4_000).describe("What was tried instead"),
  humanStep: LeftStep,
});
export type BlockerClaim = z.infer<typeof BlockerClaim>;

/** A usage limit that stopped a `command` agent. */
export const UsageLimit = z.strictObject({
  until: z.iso.datetime({ offset: true }).optional().describe("When it ends; leave it out if nobody knows"),
  reason: z.string().trim().min(1).max(300).optional(),
});
export type UsageLimit = z.infer<typeof UsageLimit>;

/** What one run of a `command` agent cost. */
export const RunCost = z.strictObject({ usd: z.number().min(0).max(1_000).describe("Dollars") });

/** The session of a `command` agent, as the next run is told of it. */
export const RunSession = z.strictObject({ id: z.string().regex(/^[\w.:@/-]{1,200}$/, "use letters, digits and . _ : @ / -") });
