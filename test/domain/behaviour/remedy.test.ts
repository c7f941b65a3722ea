import { describe, expect, it } from "vitest";
import type { RemedySpec } from "../../../src/domain/batch/remedy-spec.ts";
import { chooseRemedy, type FailedGate } from "../../../src/domain/behaviour/remedy.ts";

const stepBack = { gate: "momentum", action: "step-back" } as const;
const failed = (over: Partial<FailedGate> = {}): FailedGate => ({ gate: "momentum", past: [], attemptsLeft: 2, ...over });
const say = (spec: RemedySpec, over?: Partial<FailedGate>): string => {
  const choice = chooseRemedy(spec, failed(over));
  if (choice.action === "none") return `none: ${choice.why}`;
  return [choice.action, ...choice.skipped.map(({ action, why }) => `skipped ${action}: ${why}`)].join("; ");
};

describe("the policy for a failed gate", () => {
  it.each<[string, RemedySpec, Partial<FailedGate>, string]>([
    ["does nothing by default", {}, {}, "none: the batch has no action for this gate"],
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
