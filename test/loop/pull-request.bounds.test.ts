import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { openStage, T1 } from "./pull-request-stage.ts";

cleanUp();

describe("a pull request that has to wait", () => {
  test("whose push takes longer than a check may take to appear lands: the bound counts from the first reading", async () => {
    let late = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + late };
    const { stage, forge } = await openStage({}, { appearMs: 60_000 }, { clock });
    using _ = stage;
    forge.shown = { checks: [] };
    forge.refuses = () => {
      late = 60_000;
      return undefined;
    };
    stage.start();
    await stage.until("pull-request-read");
    late = 0;
    forge.shown = {};
    await stage.ended();
    expect(stage.ticket(T1).phase).toBe("done");
    expect(stage.tasks).toHaveLength(1);
  });

  test("whose merge an unknown rule blocks is a person's after a bound", async () => {
    const { stage, forge } = await openStage({}, { appearMs: 30 });
    using _ = stage;
    forge.shown = { merge: "blocked" };
    stage.start();
    await stage.ended();
    const step = expect.stringContaining("a rule of main has blocked the merge");
    expect(stage.ticket(T1)).toMatchObject({ phase: "human-gated", humanStep: step });
    expect(stage.of("pull-request-read").map(({ waits }) => waits)).toContain("a rule of the base blocks the merge");
  });

  test("of which the forge does not say whether it can be merged is a person's after the same bound", async () => {
    const { stage, forge } = await openStage({}, { appearMs: 30 });
    using _ = stage;
    forge.shown = { merge: "unknown" };
    stage.start();
    await stage.ended();
    const step = expect.stringContaining("the forge has not said for 0 min whether it can be merged");
    expect(stage.ticket(T1)).toMatchObject({ phase: "human-gated", humanStep: step });
    // A person who reopens the ticket gets the whole bound again.
    expect(stage.ticket(T1).pullRequest?.heldSince).toBeUndefined();
  });

  test("of which the forge does not say so right after an outage is no person's yet: it is asked for a minute first", async () => {
    let late = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + late };
    const { stage, forge } = await openStage({}, { appearMs: 60_000 }, { clock });
    using _ = stage;
    forge.shown = { merge: "unknown" };
    forge.onRead = () => {
      if (late > 0) forge.shown = {};
      // The second answer is waited for as long.
      if (stage.types().includes("pull-request-read")) late = 61_000;
    };
    stage.start();
    await stage.ended();
    expect(stage.ticket(T1).phase).toBe("done");
  });

  test.each([{ merge: "blocked" }, { merge: "unknown" }, { checks: [] }] as const)(
    "%o while the engine does not run for an hour is no person's: its bounds begin anew",
    async (shown) => {
      let idle = 0;
      const clock = { ...systemClock, now: () => systemClock.now() + idle };
      const { stage, forge } = await openStage({}, { appearMs: 60_000 }, { clock });
      using _ = stage;
      forge.shown = shown;
      let reads = 0;
      forge.onRead = () => {
        reads += 1;
        if (reads === 2) idle = 3_600_000;
        if (reads === 5) forge.shown = {};
      };
      stage.start();
      await stage.ended();
      expect([stage.ticket(T1).phase, stage.ticket(T1).failures, stage.tasks.length]).toEqual(["done", 0, 1]);
    },
  );

  test("whose merge is blocked is waited for once: the next engine counts from the first reading in the journal", async () => {
    const { stage, forge, reopen } = await openStage({}, { appearMs: 60_000 });
    using _ = stage;
    forge.shown = { merge: "blocked" };
    await stage.crashAt((event) => event.type === "pull-request-read");
    await reopen({ clock: { ...systemClock, now: () => systemClock.now() + 60_000 } });
    await stage.resume();
    await stage.until("pull-request-gated");
    expect(stage.of("pull-request-read").flatMap(({ waitsOn = [] }) => waitsOn)).toEqual(["rule"]);
  });

  test("whose merge is blocked for less than the bound lands", async () => {
    const { stage, forge } = await openStage({}, { appearMs: 60_000 });
    using _ = stage;
    forge.shown = { merge: "blocked" };
    stage.start();
    await stage.until("pull-request-read", (event) => "waits" in event && event.waits === "a rule of the base blocks the merge");
    forge.shown = {};
    await stage.ended();
    expect(stage.ticket(T1).phase).toBe("done");
  });
});
