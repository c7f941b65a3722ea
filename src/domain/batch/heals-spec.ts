import { z } from "zod";

/** What becomes of a heal that moved its stall. */
export const HealsSpec = z.strictObject({
  keep: z
    .enum(["auto", "ask", "never"])
    .default("auto")
    .describe("Later runs use a heal that helped: auto in its repository, ask once a person says so, never"),
});
export type HealsSpec = z.infer<typeof HealsSpec>;
