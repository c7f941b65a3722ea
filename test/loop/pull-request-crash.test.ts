import { describe, expect, test } from "vitest";
import { cleanUp, git, write } from "../adapters/vcs/real-repo.ts";
import type { FakePullRequests } from "./fake-pull-requests.ts";
import { FAILED, openStage, T1 } from "./pull-request-stage.ts";
import type { Stage } from "./stage.ts";

cleanUp();

/** Kills the engine after its n-th intent to push, which the forge never sees. */
async function crashBeforePush(stage: Stage, forge: FakePullRequests, nth: number): Promise<void> {
  let intents = 0;
  await stage.crashAt(({ type }) => {
    if (type === "pull-request-intended") intents += 1;
    forge.isAway = intents === nth;
    return forge.isAway;
  });
  forge.isAway = false;
}

function pushToBase(stage: Stage): void {
  write(stage.user, "theirs.txt", "theirs\n");
  git(stage.user, "add", "-A");
  git(stage.user, "commit", "-q", "-m", "theirs");
}

describe("a pull request whose engine is killed", () => {
  test.each(["stays", "moves"])(
    "kill -9 before the push of a repair, and the base %s: the repair goes to the same branch",
    async (base) => {
      const { stage, forge, reopen } = await openStage();
      using _ = stage;
      forge.shown = { checks: [FAILED] };
      await crashBeforePush(stage, forge, 2);
      const pushes = () => forge.calls.filter((call) => call.startsWith("push")).length;
      expect(pushes()).toBe(1);
      if (base === "moves") pushToBase(stage);
      forge.shown = {};
      await reopen();
      await stage.resume();
      expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
      expect([pushes(), forge.opened, forge.merges]).toEqual([2, 1, 1]);
      expect(stage.ticket(T1)).toMatchObject({ phase: "done" });
      expect(stage.git("show", "main:T-1.txt")).toBe("2");
    },
  );

  test.each(["stays", "moves"])("kill -9 before the first push, and the base %s: the branch begins with it", async (base) => {
    const { stage, forge, reopen } = await openStage();
    using _ = stage;
    await crashBeforePush(stage, forge, 1);
    expect(forge.branches.size).toBe(0);
    if (base === "moves") pushToBase(stage);
    await reopen();
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect(stage.ticket(T1)).toMatchObject({ phase: "done" });
    expect([forge.opened, forge.merges]).toEqual([1, 1]);
  });

  test("is started again by the next engine if the forge did not hear of it", async () => {
    const { stage, forge, reopen } = await openStage({ limits: { attempts: 1 } });
    using _ = stage;
    forge.shown = { checks: [FAILED] };
    forge.logs = {
      ci: "##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped.\n",
    };
    await stage.crashAt(({ type }) => {
      forge.isAway = type === "pull-request-rerun";
      return forge.isAway;
    });
    forge.isAway = false;
    forge.onRead = () => {
      if (forge.calls.includes("rerun ci")) forge.shown = {};
    };
    await reopen();
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
    expect([forge.calls.filter((call) => call.startsWith("rerun")).length, stage.tasks.length]).toEqual([1, 1]);
  });
});
