import { describe, expect, it } from "vitest";
import type { RemedySpec } from "../../../src/domain/batch/remedy-spec.ts";
import { chooseRemedy, type FailedGate } from "../../../src/domain/behaviour/remedy.ts";

const stepBack = { gate: "momentum", action: "step-back" } as const;
const failed = (over: Partial<FailedGate> = {}): FailedGate => ({
  gate: "momentum",
  past: [],
  attemptsLeft: 2,
  canEscalate: false,
  discoveriesLeft: 1,
  ...over,
});
const say = (spec: RemedySpec, over?: Partial<FailedGate>): string => {
  const choice = chooseRemedy(spec, failed(over));
  if (choice.action === "none") return `none: ${choice.why}`;
  return [choice.action, ...choice.skipped.map(({ action, why }) => `skipped ${action}: ${why}`)].join("; ");
};

describe("the policy for a failed gate", () => {
  it.each<[string, RemedySpec, Partial<FailedGate>, string]>([
    ["does nothing by default", {}, {}, "none: the batch has no action for this gate"],
    ["nudges at first, and steps back then", { onFail: ["nudge", "step-back"] }, {}, "nudge"],
    ["nudges without an attempt left", { onFail: "nudge" }, { attemptsLeft: 0 }, "nudge"],
    ["goes on after a nudge", { onFail: ["nudge", "step-back"] }, { past: [{ gate: "momentum", action: "nudge" }] }, "step-back"],
    [
      "goes on if the agent cannot be told",
      { onFail: ["nudge", "step-back"] },
      { noNudge: "its guard is dead" },
      "step-back; skipped nudge: its guard is dead",
    ],
    [
      "counts nudges among the remediations",
      { onFail: "nudge", remediations: 1 },
      { past: [stepBack] },
      "none: the ticket has had its 1 remediation",
    ],
    ["does nothing for none", { onFail: "none" }, {}, "none: the batch has no action for this gate"],
    ["takes its only action", { onFail: "step-back" }, {}, "step-back"],
    ["takes its only action again", { onFail: "step-back" }, { past: [stepBack, stepBack] }, "step-back"],
    ["is that of the gate", { onFail: { momentum: "gate" } }, {}, "gate"],
    ["is none for a gate without one", { onFail: { exist: "gate" } }, {}, "none: the batch has no action for this gate"],
    ["takes the first of a list at first", { onFail: ["step-back", "gate"] }, {}, "step-back"],
    ["takes the next if the same gate fails again", { onFail: ["step-back", "gate"] }, { past: [stepBack] }, "gate"],
    ["stays at the last of a list", { onFail: ["gate", "step-back"] }, { past: [stepBack, stepBack] }, "step-back"],
    ["begins anew for another gate", { onFail: ["step-back", "gate"] }, { gate: "exist", past: [stepBack] }, "step-back"],
    [
      "goes on after an action that it takes twice",
      { onFail: ["step-back", "step-back", "gate"] },
      { past: [stepBack, stepBack] },
      "gate",
    ],
    [
      "steps back at the last attempt to nothing",
      { onFail: "step-back" },
      { attemptsLeft: 0 },
      "none: step-back: no attempt is left",
    ],
    [
      "goes on to what is possible, and says so",
      { onFail: ["step-back", "gate"] },
      { attemptsLeft: 0 },
      "gate; skipped step-back: no attempt is left",
    ],
    ["splits", { onFail: "split" }, {}, "split"],
    [
      "splits nothing without attempts for the parts and for the rest",
      { onFail: ["split", "step-back"] },
      { attemptsLeft: 1 },
      "step-back; skipped split: it takes two attempts, and fewer are left",
    ],
    ["splits nothing beyond the cap", { onFail: "split" }, { discoveriesLeft: 0 }, "none: split: limits.discoveries is used up"],
    ["escalates to another model", { onFail: "escalate" }, { canEscalate: true }, "escalate"],
    [
      "goes on if there is no other model",
      { onFail: ["escalate", "step-back"] },
      {},
      "step-back; skipped escalate: fallback has no other model",
    ],
    [
      "escalates at the last attempt to nothing",
      { onFail: "escalate" },
      { canEscalate: true, attemptsLeft: 0 },
      "none: escalate: no attempt is left",
    ],
    [
      "ends after three remediations, whatever gate they were for",
      { onFail: "gate" },
      { gate: "exist", past: [stepBack, stepBack, stepBack] },
      "none: the ticket has had its 3 remediations",
    ],
    [
      "ends after as many as the batch says",
      { onFail: "step-back", remediations: 1 },
      { past: [stepBack] },
      "none: the ticket has had its 1 remediation",
    ],
    ["ends at once with none allowed", { onFail: "gate", remediations: 0 }, {}, "none: the ticket has had its 0 remediations"],
  ])("%s", (_what, spec, over, expected) => {
    expect(say(spec, over)).toBe(expected);
  });
});
