import { z } from "zod";
import { Argv } from "../batch/argv.ts";
import { HumanStep } from "../command.ts";
import { RepoId } from "../ids.ts";

/** A ticket that a worker found, as it writes it. */
export const Discovery = z.strictObject({
  title: z.string().trim().min(1).max(200),
  body: z.string().max(16_000).default(""),
  repo: RepoId.optional(),
  /** Whether its finder cannot be done before it. */
  blocks: z.boolean().default(false),
  reason: z.string().trim().min(1).max(1_000),
});
export type Discovery = z.infer<typeof Discovery>;

/** A command that the worker ran, and what it saw: the engine runs it again. */
const CapturedCommand = z.strictObject({
  command: Argv,
  exitCode: z.number().int().min(-1).max(255),
  output: z.string().max(16_000),
});
export type CapturedCommand = z.infer<typeof CapturedCommand>;

/** A wall outside the code, as a worker claims it. */
export const BlockerClaim = z.strictObject({
  claim: z.string().trim().min(1).max(2_000),
  /** What stands in the way: who owns it, and why nothing in the repository can change it. */
  wall: z.string().trim().min(1).max(2_000),
  evidence: z.array(CapturedCommand).min(1).max(5).readonly(),
  /** What was tried instead. */
  tried: z.string().trim().min(1).max(4_000),
  humanStep: HumanStep,
});
export type BlockerClaim = z.infer<typeof BlockerClaim>;
