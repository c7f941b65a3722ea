import { z } from "zod";

/** The repetition of live checks. */
export const LiveSpec = z.strictObject({
  repeats: z.number().int().min(0).max(100).default(5).describe("Failed repeats of a live check before an agent starts"),
  everySeconds: z
    .number()
    .min(0.1)
    .max(300)
    .default(15)
    .describe("Seconds before the first repeat; each later one waits twice as long, at most 5 minutes"),
});
