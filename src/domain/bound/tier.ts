import type { Argv } from "../batch/prepare-command.ts";
import type { SandboxMode } from "../batch/schema.ts";
import type { StepSpec } from "../batch/step-spec.ts";
import type { Bound, RuleOrigin } from "./bound.ts";
import { BOUND_FILE } from "./bound.ts";
import { hasLaw } from "./law-steps.ts";

/** How hard a rule holds. 1: enforced. 2: checked by a command. 3: judged by a reviewer. 4: only told. */
export type Tier = 1 | 2 | 3 | 4;

/** The tiers for people. */
export const TIER_NAMES: Readonly<Record<Tier, string>> = { 1: "enforced", 2: "checked", 3: "judged", 4: "only told" };

/** What a run does about the rules of a repository; tiers follow from it alone. */
export interface BoundSetup {
  readonly sandbox: SandboxMode;
  /** What becomes of a change of a zone. */
  readonly zones: "approve" | "read-only";
  /** Tickets by the steps of their finish lines; empty without a batch. */
  readonly tickets: readonly { readonly id: string; readonly finish: readonly StepSpec[] }[];
  /** True if a reviewer reads what has no ticket yet. */
  readonly hasReviewer: boolean;
  /** Programs of laws that were looked for and not found. */
  readonly missingPrograms: ReadonlySet<string>;
}

/** A rule with its tier, for people and programs. */
export interface RatedRule {
  readonly kind: "rules" | "zone" | "never do" | "iron law";
  readonly rule: string;
  readonly tier: Tier;
  /** The reason for the tier. */
  readonly because: string;
  readonly why?: string | undefined;
  readonly origin: RuleOrigin;
}

/** Every rule with its tier. The first row is the rules themselves, which no change may touch. */
export function ratedRules(bound: Bound, setup: BoundSetup): readonly RatedRule[] {
  const told = tierOfProse(setup);
  const isInFile = [...bound.zones, ...bound.neverDo, ...bound.ironLaws].some(({ origin }) => origin.file === BOUND_FILE);
  return [
    ...(isInFile ? [ruleOfFile()] : []),
    ...bound.zones.map(({ path, why, origin }): RatedRule => ({ kind: "zone", rule: path, ...tierOfZone(setup), why, origin })),
    ...bound.neverDo.map(({ text, origin }): RatedRule => ({ kind: "never do", rule: text, ...told, origin })),
    ...bound.ironLaws.map(
      ({ text, command, origin }): RatedRule => ({
        kind: "iron law",
        rule: text,
        ...(command === undefined ? tierOfProseLaw(told) : tierOfCommand(setup, command)),
        origin,
      }),
    ),
  ];
}

function ruleOfFile(): RatedRule {
  const because = "the engine refuses every change that touches it, in any spelling, and reads it from the base alone";
  return { kind: "rules", rule: BOUND_FILE, tier: 1, because, origin: { file: BOUND_FILE, line: 1 } };
}

function tierOfZone({ sandbox, zones }: BoundSetup): Pick<RatedRule, "tier" | "because"> {
  if (zones === "approve")
    return { tier: 1, because: "the engine lands no change of it before a person has approved exactly that change" };
  const lands = "the engine lands no change of it";
  const mount = {
    required: `the sandbox mounts it read-only, and ${lands}`,
    auto: `the sandbox mounts it read-only if there is one, and ${lands}`,
    off: `${lands}; without a sandbox nothing mounts it read-only`,
  };
  return { tier: 1, because: mount[sandbox] };
}

/** A reviewer that reads only some tickets leaves the rest to the prompt, so the weakest ticket counts. */
function tierOfProse({ tickets, hasReviewer }: BoundSetup): Pick<RatedRule, "tier" | "because"> {
  if (!hasReviewer) return { tier: 4, because: "it is in the prompt; there is no reviewer that would judge it" };
  const unread = tickets
    .filter(({ finish }) => !finish.some(({ step }) => step === "review" || step === "adversary"))
    .map(({ id }) => id);
  if (unread.length === 0) return { tier: 3, because: "it is in the prompt, and a rule of the reviewer" };
  return { tier: 4, because: `it is in the prompt; the finish line of ${unread.slice(0, 3).join(", ")} has no review` };
}

function tierOfProseLaw(told: Pick<RatedRule, "tier" | "because">): Pick<RatedRule, "tier" | "because"> {
  return { ...told, because: `${told.because}; begin the law with a command in backticks to have it checked` };
}

function tierOfCommand({ tickets, missingPrograms }: BoundSetup, command: Argv): Pick<RatedRule, "tier" | "because"> {
  const [program = ""] = command;
  if (missingPrograms.has(program)) return { tier: 4, because: `it is in the prompt; its program ${program} is not found here` };
  const unchecked = tickets.filter(({ finish }) => !hasLaw(finish, command)).map(({ id }) => id);
  if (unchecked.length > 0)
    return { tier: 4, because: `it is in the prompt; the finish line of ${unchecked.slice(0, 3).join(", ")} lacks it` };
  return { tier: 2, because: "its command must exit 0 on every candidate, and again on what landed" };
}
