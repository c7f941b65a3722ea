import { describe, expect, test } from "vitest";
import { AgentSpec, ReviewerSpec } from "../../src/domain/batch/party.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { ReviewerAnswer } from "../../src/ports/reviewer.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { ended, opened } from "./review-stage.ts";
import { scripted, stopOf } from "./scripted-model.ts";
import { oneFile, Stage } from "./stage.ts";

cleanUp();

const agent = AgentSpec.parse({ kind: "claude", apiKeyEnv: "FIRST", fallback: [{ apiKeyEnv: "SECOND" }] });
const STOP = { kind: "rate-limited", says: "slow down", retryAfterMs: 3_600_000 } as const;

describe("an agent with a second account", () => {
  test("uses it while the first is rate limited: nothing waits, and the journal tells of the switch", async () => {
    using stage = await Stage.open({
      programs: { agent },
      tickets: [ticketOf("T-1"), ticketOf("T-2")],
      limits: { workers: 1 },
      work: (task) => (task.account === 1 ? oneFile(task) : { exitCode: 1, stop: STOP }),
    });
    stage.start();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.of("backoff-started")).toEqual([]);
    expect(stage.of("account-switched")).toMatchObject([{ party: "agent", from: 0, to: 1, name: "the key in SECOND" }]);
    expect(stage.tasks.map(({ account = 0 }) => account)).toEqual([0, 1, 1]);
    expect(stage.of("agent-ended").map(({ account = 0 }) => account)).toEqual([0, 1, 1]);
  });

  test("waits once both are rate limited", async () => {
    using stage = await Stage.open({
      programs: { agent },
      tickets: [ticketOf("T-1")],
      limits: { workers: 1 },
      work: (task) => (stage.tasks.length > 2 ? oneFile(task) : { exitCode: 1, stop: STOP }),
    });
    stage.start();
    await stage.until("backoff-started");
    expect(stage.tasks.map(({ account = 0 }) => account)).toEqual([0, 1]);
    // In place of the wait.
    stage.report({ type: "backoff-started", until: 0, reason: "over" });
    expect((await stage.ended()).end?.exitCode).toBe(0);
  });
});

const reviewer = ReviewerSpec.parse({ kind: "codex", apiKeyEnv: "FIRST", fallback: [{ apiKeyEnv: "SECOND" }] });
/** Waits that an API asks for, or that loopdash chooses if it names none; no other timer has these times. Milliseconds. */
const WAITS = [7_000, 10_000];

/** A stage whose reviewer with two accounts gives these answers, and whose waits for it are over at once. */
async function stageWith(...answers: readonly Partial<ReviewerAnswer>[]) {
  const waits: number[] = [];
  const { model, tasks } = scripted(answers);
  const patient = ({ clock }: LoopContext): Partial<LoopContext> => {
    const after: Clock["after"] = (ms, then) => {
      if (!WAITS.includes(ms)) return clock.after(ms, then);
      waits.push(ms);
      return clock.after(0, then);
    };
    return { clock: { ...clock, after } };
  };
  const stage = await opened({ model, stage: { programs: { reviewer } }, ctx: patient });
  return { stage, waits, accounts: () => tasks.map(({ account = 0 }) => account) };
}

describe("a reviewer with a second account", () => {
  test.for([
    ["a short wait", stopOf("rate-limited", { retryAfterMs: 7_000 })],
    ["no wait", stopOf("rate-limited")],
    ["a long wait", stopOf("overloaded", { retryAfterMs: 3_600_000 })],
  ] as const)("is asked with it at once, in the same attempt, if the first one's API names %s", async ([, stop]) => {
    const { stage, waits, accounts } = await stageWith(stop, {});
    using _ = stage;
    const { landed, answers, state } = await ended(stage);
    expect(landed).toBe(true);
    expect(accounts()).toEqual([0, 1]);
    expect(stage.of("account-switched")).toMatchObject([{ party: "reviewer", from: 0, to: 1, name: "the key in SECOND" }]);
    expect([waits, stage.of("backoff-started")]).toEqual([[], []]);
    expect(answers).toMatchObject([
      { valid: false, stop: { kind: stop.stop?.kind } },
      { valid: true, account: 1 },
    ]);
    expect(state.rateLimited?.reviewer?.[0]).toBeDefined();
  });

  test("waits once both are limited, and asks the second again", async () => {
    const short = stopOf("rate-limited", { retryAfterMs: 7_000 });
    const { stage, waits, accounts } = await stageWith(short, short, {});
    using _ = stage;
    expect((await ended(stage)).landed).toBe(true);
    expect(accounts()).toEqual([0, 1, 1]);
    expect(waits).toEqual([7_000]);
  });

  test("asks each account once, and the waiting one once more, before its work is postponed", async () => {
    const { stage, waits, accounts } = await stageWith(stopOf("rate-limited"));
    using _ = stage;
    stage.start();
    await stage.until("backoff-started");
    expect(accounts()).toEqual([0, 1, 1]);
    expect(waits).toEqual([10_000]);
    await stage.until("attempt-ended");
    expect(stage.of("attempt-ended")[0]?.evidence?.summary).toMatch(
      /^postponed, because the reviewer is unavailable: it stopped early \(rate-limited\)/,
    );
    stage.report({ type: "stop-requested", by: "person" });
    await stage.ended();
  });
});
