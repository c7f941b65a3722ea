import { z } from "zod";

/** The repetition of live checks. */
export const LiveSpec = z.strictObject({
  repeats: z.number().int().min(0).max(100).default(5).describe("Failed repeats before an agent starts"),
  everySeconds: z
    .number()
    .min(0.1)
    .max(300)
    .default(15)
    .describe("Seconds before the first repeat; doubled each time, to at most 5 minutes"),
});

/** The rule for a base that a landed change has broken. */
export const OnBroken = z.enum(["freeze", "revert", "continue"]);

/**
 * The rule for a check in which nothing but tests fail that are known to be flaky on the base. `excuse` is the default, because such a
 * failure says nothing about the change: one flaky test stalled three of four tickets, and pull requests are treated so, too.
 */
export const Flaky = z.enum(["excuse", "count"]);

/** What a ticket must have before a claimed blocker leaves it to a person. A person's own gate needs nothing. */
export const Gated = z
  .enum(["any", "built"])
  .describe(
    "What a claimed blocker needs to leave a ticket to a person: any (default) its step, built also a change that passes its checks",
  );
