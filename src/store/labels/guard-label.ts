import type { GuardFact, GuardResult } from "../../domain/run/guard-fact.ts";
import { plural } from "../../domain/values/text.ts";
import { displayText } from "../format.ts";
import { type EventLabel, STYLES, type Tone, toned } from "./tone.ts";

/** The line of the feed on what the guard of an agent told. It was told from within the sandbox. */
export function guardLabel(fact: GuardFact): EventLabel {
  switch (fact.type) {
    case "guard-blocked": {
      const { rule, command, alternative, times = 1 } = fact;
      const again = times === 1 ? "" : ` (${times} times)`;
      return [toned(STYLES.failed, "waiting"), `guard blocked ${rule}${again}: ${command}; instead: ${alternative}`];
    }
    case "guard-dead":
      return [STYLES.failed, `guard is dead: ${fact.why}`];
    case "stop-guard-told":
      return [STYLES.again, `stop guard: ${fact.unmet}, told ${fact.n} of ${fact.of}`];
  }
}

/** The guard of one attempt in words, for the ticket view; empty if there is nothing to tell. */
export function guardLines({ guard }: GuardResult): readonly { readonly text: string; readonly tone: Tone }[] {
  if (guard === undefined) return [];
  const { blocked, last, dead, stop } = guard;
  return [
    ...(dead === undefined
      ? []
      : [{ text: displayText(`${STYLES.failed.glyph} its guard is dead: ${dead}`), tone: "bad" as const }]),
    ...(last === undefined
      ? []
      : [
          { text: `its guard blocked ${plural(blocked, "command")}; the last by ${last.rule}:`, tone: "plain" as const },
          { text: displayText(`  ${last.command}`), tone: "claim" as const },
          { text: displayText(`  instead: ${last.alternative}`), tone: "waiting" as const },
        ]),
    ...(stop === undefined
      ? []
      : [{ text: displayText(`stop guard: ${stop.unmet}, told ${stop.n} of ${stop.of}`), tone: "waiting" as const }]),
  ];
}
