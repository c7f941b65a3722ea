import { describe, expect, test } from "vitest";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { acting, bad, ended, good, loops, outcomes, second, T1, withReviewer } from "../remedy-stage.ts";
import { endless, type StageOptions } from "../stage.ts";

cleanUp();

describe("a lost engine", () => {
  test("between the fact and the act: the new one acts once, and the attempt counts", async () => {
    using stage = await acting([good, loops, second]);
    await stage.crashAt(({ type }) => type === "remediated");
    await stage.crashAndReopen(withReviewer, "lose");
    expect(await ended(stage, "resume")).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "lost", "done"]);
    expect(stage.of("remediated")).toHaveLength(1);
    expect(stage.of("worktree-ready").at(-1)?.startsAt).toBeDefined();
    expect(stage.tasks).toHaveLength(3);
    expect(stage.ticket(T1).failures).toBe(2);
  });

  test("while the next attempt works: the one after that steps back, too", async () => {
    using stage = await acting([good, loops, endless, second]);
    stage.start();
    await stage.until("agent-started", (event) => "ticket" in event && stage.tasks.length === 3);
    await stage.crashAndReopen(withReviewer);
    expect(await ended(stage, "resume")).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "failed", "lost", "done"]);
    expect(stage.of("remediated")).toHaveLength(1);
    expect(
      stage
        .of("worktree-ready")
        .slice(2)
        .map(({ startsAt }) => startsAt !== undefined),
    ).toEqual([true, true]);
  });

  test("after it was left to a person: no agent follows", async () => {
    using stage = await acting([loops, loops], { onFail: "gate" });
    await stage.crashAt(({ type }) => type === "remediated");
    await stage.crashAndReopen(withReviewer, "lose");
    expect(await ended(stage, "resume")).toBe(1);
    expect(stage.ticket(T1).phase).toBe("stalled");
    expect(stage.tasks).toHaveLength(1);
  });
});

describe("an agent that fails its gates on purpose", () => {
  const usd = 2;
  const costs = { limits: { attempts: 3, usdPerAttempt: usd, usdPerTicket: 5 }, reserveUsd: usd };
  const run = async (works: readonly NonNullable<StageOptions["work"]>[], onFail: unknown) => {
    using stage = await acting(works, { ...costs, onFail });
    await ended(stage);
    const { costUsd, phase } = stage.ticket(T1);
    return { agents: stage.tasks.length, costUsd, phase };
  };
  /** It says so and is ended; a cost that nobody knows is what was set aside. */
  const evil: NonNullable<StageOptions["work"]> = async (task) => ({ ...(await loops(task)), costUsd: usd });
  const failing: NonNullable<StageOptions["work"]> = (task) => (bad(task), { costUsd: usd });

  test.for([["step-back"], [["step-back", "step-back"]], [{ momentum: "step-back" }]])(
    "gets no more attempts or money than one that fails its checks (%j)",
    async ([onFail]) => {
      const honest = await run([failing, failing, failing, failing], "none");
      const lying = await run([evil, evil, failing, failing], onFail);
      expect(lying.agents).toBeLessThanOrEqual(honest.agents);
      expect(lying.costUsd).toBeLessThanOrEqual(honest.costUsd);
      expect(lying.phase).toBe("stalled");
    },
  );
});
