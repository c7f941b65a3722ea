import { z } from "zod";
import { name } from "./values.ts";

/** A class of transient: a pattern of a failed step's output, and the wait before the step is retried. */
export const TransientSpec = z
  .strictObject({
    name: name.describe("The name of the class in the journal"),
    pattern: z
      .string()
      .min(3)
      .max(300)
      .describe(
        "A regular expression (RE2) that finds the transient in the last 64 KiB of the failed command's output; letters in either case",
      ),
    steps: z
      .array(z.enum(["prepare", "check", "verify"]))
      .min(1)
      .readonly()
      .describe("The steps in which it may happen"),
    waitSeconds: z.number().nonnegative().max(600).default(5).describe("Seconds before the step is tried once more"),
  })
  .describe("A transient: a failure that passes by itself and earns a step exactly one retry");
export type TransientSpec = z.infer<typeof TransientSpec>;
