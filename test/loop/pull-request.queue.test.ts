import { describe, expect, test } from "vitest";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { openStage, T1 } from "./pull-request-stage.ts";

cleanUp();

/** Waits of 25 ms and 100 ms before a merge is asked for again, and of 50 ms for a queue that lags. */
const FAST = { appearMs: 1_000 };

describe("a merge that the forge does not make at once", () => {
  test("is asked for once if the queue shows the pull request late", async () => {
    const { stage, forge } = await openStage({}, { appearMs: 60_000 });
    using _ = stage;
    forge.onMerge = () => ({ as: "queued" });
    let reads = 0;
    forge.onRead = () => {
      if (forge.merges === 0) return;
      reads += 1;
      // Late, then in it, then gone from it before it is shown as merged.
      forge.shown = reads > 20 && reads < 40 ? { queuePosition: 1, isQueueChecking: true } : {};
      if (reads === 60) forge.merge([...forge.branches.values()][0] ?? "");
    };
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect([forge.merges, stage.tasks.length]).toEqual([1, 1]);
    expect(stage.of("pull-request-read").map(({ waits }) => waits)).toContain("the merge queue has it, and does not show it");
  });

  test("and the queue lets go three times is a person's, after waits, with the queue's reason", async () => {
    const { stage, forge } = await openStage({}, FAST);
    using _ = stage;
    const at: number[] = [];
    forge.onMerge = () => {
      at.push(Date.now());
      forge.shown = { letGo: { id: `E_${at.length}`, reason: "CI_TIMEOUT" } };
      return { as: "queued" };
    };
    stage.start();
    await stage.ended();
    const step = "merge pull request #7 (https://forge.example/7): the merge queue has let it go: CI_TIMEOUT (3 times)";
    expect(stage.ticket(T1)).toMatchObject({ phase: "human-gated", humanStep: step, failures: 0 });
    const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBeGreaterThanOrEqual(25);
    expect(waits[1]).toBeGreaterThanOrEqual(100);
  });

  test("and the queue lets go once lands at the next request", async () => {
    const { stage, forge } = await openStage({}, FAST);
    using _ = stage;
    forge.onMerge = () => {
      if (forge.merges > 1) return undefined;
      forge.shown = { letGo: { id: "E_1", reason: "" } };
      return { as: "queued" };
    };
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    const why = "the merge queue has let it go: it gives no reason; it is asked again";
    expect(stage.of("pull-request-read")).toContainEqual(
      expect.objectContaining({ waits: why, waitsUntil: expect.any(Number) as number }),
    );
    expect([forge.merges, stage.tasks.length]).toEqual([2, 1]);
  });

  test.each([true, false])(
    "and the forge refuses is asked for again after a wait; it had merged all the same: %s",
    async (isMerged) => {
      const { stage, forge } = await openStage({}, FAST);
      using _ = stage;
      forge.onMerge = () => {
        if (forge.merges > 1) return undefined;
        if (isMerged) forge.merge([...forge.branches.values()][0] ?? "");
        return { as: "refused", reason: "Merge already in progress (405)" };
      };
      stage.start();
      expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
      expect([forge.merges, stage.tasks.length]).toEqual([isMerged ? 1 : 2, 1]);
    },
  );

  test("and the queue never begins is a person's after the bound, and people are told of it before", async () => {
    const { stage, forge } = await openStage({}, { appearMs: 200 });
    using _ = stage;
    forge.onMerge = () => {
      forge.shown = { queuePosition: 1, isQueueChecking: false };
      return { as: "queued" };
    };
    stage.start();
    await stage.ended();
    const step = expect.stringContaining(
      "place 1 in the merge queue, which has not begun its checks, and nothing has changed for",
    );
    expect(stage.ticket(T1)).toMatchObject({ phase: "human-gated", humanStep: step });
    const read = stage.of("pull-request-read").find(({ queuePosition }) => queuePosition === 1);
    expect((read?.waitsUntil ?? 0) - (read?.at ?? 0)).toBeGreaterThan(100);
    expect(forge.merges).toBe(1);
  });
});
