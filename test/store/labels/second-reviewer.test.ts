import { describe, expect, test } from "vitest";
import { ReviewerSpec } from "../../../src/domain/batch/party.ts";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import { reviewerLabel, specLabel } from "../../../src/store/labels/tone.ts";

const reviewer = ReviewerSpec.parse({ kind: "codex", apiKeyEnv: "K", model: "gpt-5.3-codex" });
const secondReviewer = ReviewerSpec.parse({ kind: "gemini", apiKeyEnv: "K", model: "gemini-2.5-pro" });
const command = ReviewerSpec.parse({ kind: "command", command: ["r"] });

describe("a label", () => {
  test("of a question names the reviewer that it goes to", () => {
    const batch = { reviewer, secondReviewer };
    expect(reviewerLabel({ batch })).toBe("codex gpt-5.3-codex");
    expect(reviewerLabel({ batch }, { by: "second" })).toBe("gemini-2.5-pro (second reviewer)");
    expect(reviewerLabel({ batch: { reviewer, secondReviewer: command } }, { by: "second" })).toBe("the second reviewer");
  });

  test("of a review says if the second reads", () => {
    const step: StepSpec = { step: "review", name: "again" };
    expect(specLabel(step)).toBe("review again");
    expect(specLabel({ ...step, by: "second" })).toBe("review again (second reviewer)");
  });
});
