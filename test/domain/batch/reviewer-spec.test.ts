import { expect, test } from "vitest";
import { ReviewerSpec, reviewUsd } from "../../../src/domain/batch/party.ts";

test("a question costs what the batch says, else nothing for a command and an attempt's money for a vendor", () => {
  const limits = { usdPerAttempt: 5 };
  const command = ReviewerSpec.parse({ kind: "command", command: ["r"] });
  const codex = ReviewerSpec.parse({ kind: "codex", apiKeyEnv: "KEY" });
  expect([reviewUsd(command, limits), reviewUsd(codex, limits)]).toEqual([0, 5]);
  expect([reviewUsd({ ...command, usdPerReview: 2 }, limits), reviewUsd({ ...codex, usdPerReview: 2 }, limits)]).toEqual([2, 2]);
});
