import { z } from "zod";
import { COMPLEXITIES, type Complexity } from "../complexity/classes.ts";
import { minutes, usd } from "./values.ts";

/** What a class of tickets needs beside what the batch asks of every ticket. Bounds only tighten those of `limits`. */
const Route = z.strictObject({
  plan: z.boolean().optional().describe("True if an attempt makes a plan first, which the reviewer has to approve"),
  reviewers: z
    .union([z.literal(1), z.literal(2)])
    .optional()
    .describe("Reviews of the change; default: as in the finish line"),
  gate: z.literal("step").optional().describe("The change waits for a person's approval"),
  attempts: z.number().int().min(1).max(20).optional().describe("At most limits.attempts"),
  usdPerTicket: usd.optional().describe("At most limits.usdPerTicket"),
  minutesPerAttempt: minutes.optional().describe("At most limits.minutesPerAttempt"),
});
export type Route = z.infer<typeof Route>;

/** How each class is worked if the batch says nothing of it: S3.22 routes by class to solo, plan first, two reviewers, human gate. */
const DEFAULT_ROUTES: Readonly<Record<Complexity, Route>> = {
  trivial: {},
  simple: {},
  complex: { reviewers: 2 },
  architectural: { plan: true, reviewers: 2, gate: "step" },
};

const route = (about: string) => Route.optional().describe(about);

/** Routing by complexity, as a batch file has it: `true` for the defaults, `false` for none, or the classes that differ from the defaults. */
export const ComplexitySpec = z
  .union([
    z.literal(true),
    z.literal(false),
    z.strictObject({
      trivial: route("At most 20 lines in 1 file; default: as the batch"),
      simple: route("At most 100 lines in 3 files; default: as the batch"),
      complex: route("At most 500 lines in 10 files, or with a zone, a manifest or a migration; default: two reviews"),
      architectural: route("Anything larger; default: a plan first, two reviews and a person's approval"),
    }),
  ])
  .describe("What tickets need by their complexity; true: the defaults; default: false, all alike (docs/use/complexity.md)");
export type ComplexitySpec = z.infer<typeof ComplexitySpec>;

/** The class of a ticket, as a person names it. */
export const TicketComplexity = z
  .enum(COMPLEXITIES)
  .describe("Its class to begin with; default: by its text; a larger change moves it up");

/** How each class is worked, as a run freezes it. */
export type Routes = Readonly<Record<Complexity, Route>>;

/** The routes of a batch file; undefined if it has no routing. A class that it names is as it says, and has none of the defaults. */
export function resolveRoutes(spec: ComplexitySpec | undefined): Routes | undefined {
  if (spec === undefined || spec === false) return undefined;
  const named = spec === true ? {} : spec;
  return Object.fromEntries(COMPLEXITIES.map((one) => [one, named[one] ?? DEFAULT_ROUTES[one]])) as unknown as Routes;
}
