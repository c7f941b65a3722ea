import { z } from "zod";
import { SEVERITIES, type Severity } from "../batch/reviewer-spec.ts";
import { plural } from "../values/plural.ts";
import { plainText } from "../values/text.ts";
import { isAtLeast, type Ruling } from "./review.ts";

const words = (most: number) => z.string().trim().min(1).max(most);

/** What a red-team attempt answers: what it tried, and what broke. One that tried nothing has no answer to give. */
export const Attack = z.discriminatedUnion("broken", [
  z.strictObject({
    nonce: z.string(),
    tree: z.string(),
    tried: z.array(words(2000)).min(1).max(50),
    broken: z.literal(false),
  }),
  z.strictObject({
    nonce: z.string(),
    tree: z.string(),
    tried: z.array(words(2000)).min(1).max(50),
    broken: z.literal(true),
    severity: z.enum(SEVERITIES),
    scenario: words(8000),
    /** A command line that shows it. */
    reproduce: words(4000),
  }),
]);
export type Attack = z.infer<typeof Attack>;

/** Attacks that are named in the evidence. */
const NAMED = 10;

/** Rules on an attack: what it broke fails the change at or above `blocking`, and is named in any case. */
export function ruleOnAttack(attack: Attack, blocking: Severity): Ruling {
  const { tried } = attack;
  const count = plural(tried.length, "attack");
  const list = tried.slice(0, NAMED).map((each) => `- tried: ${plainText(each, 200)}`);
  const more = tried.length > NAMED ? [`[+${tried.length - NAMED} more]`] : [];
  if (!attack.broken) return { ok: true, summary: `survived ${count}`, detail: [...list, ...more].join("\n") };
  const { severity, scenario, reproduce } = attack;
  const broke = `broken (${severity}): ${plainText(scenario, 160)}`;
  const what = [`severity: ${severity}`, `scenario: ${plainText(scenario, 1000)}`, `reproduce: ${plainText(reproduce, 500)}`];
  const ok = !isAtLeast(severity, blocking);
  return {
    ok,
    summary: ok ? `survived ${count} but one below ${blocking}: ${broke}` : broke,
    detail: [...what, ...list, ...more].join("\n"),
  };
}
