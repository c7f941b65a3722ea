import { z } from "zod";
import { name } from "./values.ts";

/** A class of transient: a pattern of a failed step's output, and the wait before the step is retried. */
export const TransientSpec = z
  .strictObject({
    name: name.describe("Its name in the journal"),
    pattern: z.string().min(3).max(300).describe("A regular expression (RE2, any case) for the last 64 KiB of output"),
    steps: z
      .array(z.enum(["prepare", "check", "verify"]))
      .min(1)
      .readonly()
      .describe("Steps in which it may happen"),
    waitSeconds: z.number().nonnegative().max(600).default(5).describe("Seconds before the retry"),
  })
  .describe("A transient: a failure that passes by itself and earns a step exactly one retry");
export type TransientSpec = z.infer<typeof TransientSpec>;
