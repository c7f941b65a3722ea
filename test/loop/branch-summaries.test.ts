import { expect, test } from "vitest";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { answers, open, result } from "./branch-stage.ts";

cleanUp();

test("a branch that cannot be prepared is what the result tells, with the way to other prepare commands", async () => {
  const { stage } = await open({ prepare: [["sh", "-c", "echo no network; exit 4"]] });
  using _ = stage;
  stage.start();
  expect(result(await stage.ended())).toMatchObject({
    stopReason: "infrastructure",
    summary: "app cannot be prepared (2 failures): sh -c echo no network; exit 4 exited with code 4: no network",
    suggestions: [expect.stringContaining("--batch FILE")],
  });
});

test("each iteration has a summary, also the one whose checks pass", async () => {
  const { stage } = await open({ work: answers("42") });
  using _ = stage;
  stage.start();
  const { iterations } = result(await stage.ended());
  expect(iterations.map(({ summary }) => summary)).toEqual([
    expect.stringMatching(/^failed on [0-9a-f]{7}: test/),
    "all checks of its commit passed",
  ]);
});
