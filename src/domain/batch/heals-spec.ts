import { z } from "zod";

/** What becomes of a heal that moved its stall. */
export const HealsSpec = z.strictObject({
  keep: z
    .enum(["auto", "ask", "never"])
    .default("auto")
    .describe("Later runs use a heal that helped: auto in its repository, ask once a person says so, never"),
});
export type HealsSpec = z.infer<typeof HealsSpec>;

export const HealsLimit = z
  .number()
  .int()
  .min(0)
  .max(10)
  .describe("Repairs of what agents are told, per run; default: 2, and 0 with a command as agent (docs/use/self-heal.md)");

/** What says how many heals a run may have. */
interface HealsBounds {
  readonly agent: { readonly kind: string };
  readonly limits: { readonly heals?: number | undefined };
}

/** The heals that a run may have. A command knows a heal's prompt only if its batch asks for heals. */
export function mostHeals({ agent, limits }: HealsBounds): number {
  return limits.heals ?? (agent.kind === "command" ? 0 : 2);
}
