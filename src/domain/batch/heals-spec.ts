import { z } from "zod";

/** What becomes of a heal that moved its stall. */
export const HealsSpec = z.strictObject({
  keep: z
    .enum(["auto", "ask", "never"])
    .default("auto")
    .describe(
      "Whether later runs begin with a heal that moved its stall: auto on the same repository alone, ask once a person says so, never",
    ),
});
export type HealsSpec = z.infer<typeof HealsSpec>;
