import { describe, expect, test } from "vitest";
import { ReviewerSpec } from "../../src/domain/batch/party.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import type { ReviewerAnswer } from "../../src/ports/reviewer.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { ended, opened, REVIEW } from "./review-stage.ts";
import { impatient, scripted, stopOf } from "./scripted-model.ts";
import type { StageOptions } from "./stage.ts";

cleanUp();

const SECOND: StepSpec = { step: "review", name: "second-review", by: "second" };
const TWO = { kind: "codex", apiKeyEnv: "FIRST", fallback: [{ apiKeyEnv: "OTHER" }] } as const;
const reviewer = ReviewerSpec.parse(TWO);
const secondReviewer = ReviewerSpec.parse({ ...TWO, kind: "gemini" });

interface Answers {
  readonly first?: readonly Partial<ReviewerAnswer>[];
  /** Undefined: the context has no second reviewer. */
  readonly second?: readonly Partial<ReviewerAnswer>[] | undefined;
  readonly limits?: StageOptions["limits"];
}

/** A stage whose finish line asks both reviewers, which give these answers. */
async function withTwo({ first = [], second, limits = { attempts: 1 } }: Answers) {
  const [one, two] = [scripted(first), scripted(second ?? [])];
  const waits: number[] = [];
  const stage = await opened({
    model: one.model,
    stage: {
      tickets: [ticketOf("T-1", { finish: [REVIEW, SECOND, { step: "merge" }] })],
      programs: { reviewer, secondReviewer },
      limits,
    },
    ctx: (ctx: LoopContext) => ({ ...impatient(waits)(ctx), ...(second && { secondReviewer: two.model }) }),
  });
  const accounts = () => [one, two].map(({ tasks }) => tasks.map(({ account = 0 }) => account));
  return { stage, waits, accounts };
}

describe("two reviewers", () => {
  test("are both asked, each once and in order", async () => {
    const { stage, accounts } = await withTwo({ second: [] });
    using _ = stage;
    const { landed, asked, answers, state } = await ended(stage);
    expect(landed).toBe(true);
    expect(accounts()).toEqual([[0], [0]]);
    expect(asked.map(({ by }) => by)).toEqual([undefined, "second"]);
    expect(answers.map(({ by, valid }) => [by, valid])).toEqual([
      [undefined, true],
      ["second", true],
    ]);
    expect(state.reviewer).toMatchObject({ asked: 1, valid: 1 });
    expect(state.secondReviewer).toMatchObject({ asked: 1, valid: 1 });
  });

  test("are two: nothing lands where the second is not there to be asked", async () => {
    const { stage, accounts } = await withTwo({ second: undefined });
    using _ = stage;
    const { landed, evidence } = await ended(stage);
    expect(landed).toBe(false);
    expect(accounts()).toEqual([[0], []]);
    expect(evidence).toMatchObject({ name: "second-review", summary: "no review: the batch names no second reviewer" });
  });

  test("have accounts of their own: a limit of the second's leaves the first's as it is", async () => {
    const { stage, accounts } = await withTwo({ second: [stopOf("rate-limited", { retryAfterMs: 7_000 }), {}] });
    using _ = stage;
    const { landed, state } = await ended(stage);
    expect(landed).toBe(true);
    expect(accounts()).toEqual([[0], [0, 1]]);
    expect(stage.of("account-switched")).toMatchObject([{ party: "secondReviewer", from: 0, to: 1, name: "the key in OTHER" }]);
    expect(Object.keys(state.rateLimited ?? {})).toEqual(["secondReviewer"]);
    expect(state.accounts).toEqual({ secondReviewer: 1 });
    expect(stage.of("backoff-started")).toEqual([]);
  });

  test("and a limit of the first's leaves the second's as it is", async () => {
    const { stage, accounts } = await withTwo({ first: [stopOf("rate-limited", { retryAfterMs: 7_000 }), {}], second: [] });
    using _ = stage;
    const { landed, state } = await ended(stage);
    expect(landed).toBe(true);
    expect(accounts()).toEqual([[0, 1], [0]]);
    expect(Object.keys(state.rateLimited ?? {})).toEqual(["reviewer"]);
  });

  test("wait for the second once both of its accounts are limited, by its name", async () => {
    const { stage, accounts } = await withTwo({ second: [stopOf("rate-limited")] });
    using _ = stage;
    stage.start();
    expect(await stage.until("backoff-started")).toMatchObject({
      reason: expect.stringMatching(/^the second reviewer's API rejected a request \(rate-limited\)/),
    });
    await stage.until("attempt-ended");
    expect(stage.of("attempt-ended")[0]?.evidence?.summary).toMatch(
      /^postponed, because the second reviewer is unavailable: it stopped early \(rate-limited\)/,
    );
    expect(accounts()[1]).toEqual([0, 1, 1]);
    stage.report({ type: "stop-requested", by: "person" });
    await stage.ended();
  });

  test("one that crashes for good ends the run unjudged, and is named", async () => {
    const crashes = { exitCode: 7, text: "" };
    const { stage } = await withTwo({ second: [crashes], limits: { attempts: 1, outageMinutes: 0 } });
    using _ = stage;
    const { landed, state } = await ended(stage);
    expect(landed).toBe(false);
    expect(state.end).toMatchObject({ kind: "unjudged", exitCode: 3 });
    expect(state.end?.reason).toMatch(/^the second reviewer failed: it exited with code 7/);
    expect(stage.of("outage-started").map(({ what }) => what)).toEqual(["secondReviewer"]);
  });
});
