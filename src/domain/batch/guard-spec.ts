import type { GuardSettings } from "@loopdash/guard";
import { FAMILIES, type Family, RULES, type RuleId } from "@loopdash/guard";
import { z } from "zod";

/** Switches by name, each with its meaning. An unknown name is an error with the nearest one. */
function switches<Name extends string>(meanings: Readonly<Record<Name, string>>) {
  const each = Object.entries<string>(meanings).map(([name, meaning]) => [name, z.boolean().optional().describe(meaning)]);
  return z.strictObject(Object.fromEntries(each) as Readonly<Record<Name, z.ZodOptional<z.ZodBoolean>>>);
}

const REASONS = Object.fromEntries(Object.entries(RULES).map(([id, { reason }]) => [id, reason])) as Record<RuleId, string>;

/** The reminder of an agent that stops with unmet items of its finish line. It decides nothing: the finish line judges afterwards. */
const StopGuardSpec = z.strictObject({
  times: z.number().int().min(0).max(5).default(2).describe("Times in one attempt; 0: never"),
  checks: z.boolean().default(true).describe("True if it runs the ticket's checks in the worktree, in the sandbox"),
});
export type StopGuardSpec = z.infer<typeof StopGuardSpec>;

/** The command guard in workers, as a batch file has it: `false` switches it off, and `true` takes the defaults. Frozen with the run. */
export const GuardSpec = z.union([
  z.literal(true),
  z.literal(false),
  z.strictObject({
    families: switches<Family>(FAMILIES).optional().describe("Families of rules, on or off; default: all on"),
    rules: switches<RuleId>(REASONS).optional().describe("Single rules, on or off; they win over families"),
    onParseError: z.enum(["block", "allow"]).default("block").describe("What becomes of commands that it cannot parse"),
    stopGuard: StopGuardSpec.prefault({}).describe("Tells an agent that stops what is unmet"),
  }),
]);
export type GuardSpec = z.infer<typeof GuardSpec>;

/** The guard of a batch: settings of its rules, and the reminder at a stop. */
export interface WorkerGuard {
  readonly settings: GuardSettings;
  readonly stopGuard: StopGuardSpec;
}

type GuardKeys = Exclude<GuardSpec, boolean>;

const STOP_GUARD: StopGuardSpec = { times: 2, checks: true };

/** The guard of a batch, on by default; undefined if it is switched off. */
export function resolveWorkerGuard({ guard = true }: { readonly guard?: GuardSpec | undefined }): WorkerGuard | undefined {
  if (guard === false) return undefined;
  const { families, rules, onParseError, stopGuard = STOP_GUARD } = guard === true ? ({} as Partial<GuardKeys>) : guard;
  return {
    settings: { families: families && definedOnly(families), rules: rules && definedOnly(rules), onParseError },
    stopGuard,
  };
}

/** Without members that are undefined, which GuardSettings does not allow. */
function definedOnly<Name extends string>(
  switched: Readonly<Partial<Record<Name, boolean | undefined>>>,
): Partial<Record<Name, boolean>> {
  return Object.fromEntries(Object.entries(switched).filter(([, on]) => on !== undefined)) as Partial<Record<Name, boolean>>;
}
