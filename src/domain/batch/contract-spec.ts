import { z } from "zod";
import { CONDITION_CHARS } from "../evidence/condition.ts";
import { CheckReport, commandStep } from "./step-spec.ts";
import { minutes, name, usd } from "./values.ts";

/** Characters of a contract's Markdown. A prompt holds all of it. */
export const CONTRACT_BODY_CHARS = 12_000;

/** One success criterion. The engine runs it as a check of the ticket's finish line. */
const CriterionSpec = z.strictObject({
  name: name.describe("The criterion's name, which is that of its check"),
  ...commandStep,
  exitCode: z.number().int().min(0).max(125).optional().describe("The exit code that it must end with; default: 0"),
  report: CheckReport.optional(),
  condition: z
    .string()
    .min(1)
    .max(CONDITION_CHARS)
    .optional()
    .describe("What must hold of the counted tests of the report, such as tests_total >= base"),
});
export type CriterionSpec = z.infer<typeof CriterionSpec>;

/** Bounds on the work on a ticket, which the engine counts. Each can only tighten the batch's. */
const StopWhen = z
  .strictObject({
    attempts: z.number().int().min(1).max(20).optional().describe("Attempts that may fail"),
    minutes: minutes.optional().describe("Minutes of all its agents together"),
    usd: usd.optional().describe("Dollars that all its attempts may cost"),
    sameFailure: z.number().int().min(2).max(3).optional().describe("Equal failures in a row"),
  })
  .refine((bounds) => Object.values(bounds).some((bound) => bound !== undefined), "must name at least one bound");

const globs = z.array(z.string().min(1).max(400)).min(1).max(200).readonly();

/** Rules on the change. The engine enforces all but `rules`. */
const Safety = z.strictObject({
  protect: globs.optional().describe("Glob patterns of paths that the change may not touch, beside the batch's"),
  only: globs.optional().describe("Glob patterns: the change may touch no other path"),
  files: z.number().int().min(1).max(100_000).optional().describe("Files that the change may touch at most"),
  rules: z
    .array(z.string().trim().min(1).max(500))
    .min(1)
    .max(50)
    .readonly()
    .optional()
    .describe("Rules that agent and reviewer are told; the engine does not enforce them"),
});

/** A part of the work, in order, and the criteria of its checkpoint. */
const Phase = z.strictObject({
  name: name.describe("The phase's name"),
  criteria: z.array(name).min(1).max(50).readonly().describe("Names of the criteria that are its checkpoint"),
});

/** The front matter of a contract file, as a person writes it. */
export const ContractSpec = z.strictObject({
  criteria: z.array(CriterionSpec).min(1).max(50).readonly().describe("The success criteria, each of which the engine runs"),
  stopWhen: StopWhen.optional(),
  safety: Safety.optional(),
  phases: z.array(Phase).min(1).max(20).readonly().optional(),
});
export type ContractSpec = z.infer<typeof ContractSpec>;

/** A ticket's contract, as a run freezes it. Its criteria are checks of the ticket's finish line (`criterion`). */
export interface Contract extends Pick<ContractSpec, "stopWhen" | "safety" | "phases"> {
  /** Its file, as the batch names it. */
  readonly path: string;
  /** sha256 of its text, in hexadecimal digits. */
  readonly sha: string;
  /** The Markdown below the front matter. */
  readonly body: string;
}

/** The phase whose checkpoint a check belongs to; undefined if it belongs to none. */
export function phaseOf({ phases = [] }: Pick<Contract, "phases">, check: string): string | undefined {
  return phases.find(({ criteria }) => criteria.includes(check))?.name;
}
