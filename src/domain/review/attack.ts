import { z } from "zod";
import { SEVERITIES, type Severity } from "../batch/party.ts";
import { firstFew, plainText, plural } from "../values/text.ts";
import { isAtLeast, type Ruling } from "./review.ts";

const words = (most: number) => z.string().trim().min(1).max(most);

/** The whole text of the file that shows an attack, for a step that runs it. */
const shown = z.string().min(1).max(64_000).optional();

/** The answer of a red-team attempt: its attacks, and the defect that it found. Without an attack there is no answer. */
export const Attack = z.discriminatedUnion("broken", [
  z.strictObject({
    nonce: z.string(),
    tree: z.string(),
    tried: z.array(words(2000)).min(1).max(50),
    broken: z.literal(false),
    shown,
  }),
  z.strictObject({
    nonce: z.string(),
    tree: z.string(),
    tried: z.array(words(2000)).min(1).max(50),
    broken: z.literal(true),
    severity: z.enum(SEVERITIES),
    scenario: words(8000),
    /** A command line that reproduces it. */
    reproduce: words(4000),
    shown,
  }),
]);
export type Attack = z.infer<typeof Attack>;

/** Attacks that the evidence names. */
const NAMED = 10;

/** Rules on an attack. A defect at or above `blocking` fails the change; it is named in any case. */
export function ruleOnAttack(attack: Attack, blocking: Severity): Ruling {
  const { tried } = attack;
  const count = plural(tried.length, "attack");
  const list = firstFew(
    tried.map((each) => `- tried: ${plainText(each, 200)}`),
    NAMED,
  );
  if (!attack.broken) return { ok: true, summary: `survived ${count}`, detail: list.join("\n") };
  const { severity, scenario, reproduce } = attack;
  const broke = `broken (${severity}): ${plainText(scenario, 160)}`;
  const what = [`severity: ${severity}`, `scenario: ${plainText(scenario, 1000)}`, `reproduce: ${plainText(reproduce, 500)}`];
  const ok = !isAtLeast(severity, blocking);
  return {
    ok,
    summary: ok ? `survived ${count} but one below ${blocking}: ${broke}` : broke,
    detail: [...what, ...list].join("\n"),
  };
}
