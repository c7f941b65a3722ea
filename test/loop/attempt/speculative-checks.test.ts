import { describe, expect, test } from "vitest";
import { checkSpeculatively, type SpeculationOptions } from "../../../src/loop/attempt/speculative-checks.ts";
import { MergeQueue, type QueueEntry } from "../../../src/loop/concurrency/merge-queue.ts";
import type { Candidate } from "../../../src/ports/vcs.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Somebody before, and one that waits, whose judgements are given by hand. */
function scene(over: Partial<SpeculationOptions<string>> = {}) {
  const lanes = new MergeQueue();
  const [before, place, after] = [lanes.enter("app"), lanes.enter("app"), lanes.enter("app")] as [
    QueueEntry,
    QueueEntry,
    QueueEntry,
  ];
  const controller = new AbortController();
  const checking: {
    commit: string;
    signal: AbortSignal;
    give: (result: string | undefined) => void;
    fail: (e: Error) => void;
  }[] = [];
  const base = { tip: "base" };
  const done = checkSpeculatively<string>({
    place,
    signal: controller.signal,
    build: (onto) => Promise.resolve<Candidate>({ ok: true, base: onto, commit: `mine on ${onto}` }),
    check: ({ commit }, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
      checking.push({ commit, signal, give: resolve, fail: reject });
      return promise;
    },
    baseTip: () => Promise.resolve(base.tip),
    ...over,
  });
  done.catch(() => undefined);
  const land = (commit: string): void => {
    base.tip = commit;
    before.leave();
  };
  return { before, place, after, controller, checking, base, done, land };
}

describe("checkSpeculatively", () => {
  test("checks on what is ahead, and gives it where that landed; who comes after sees what it plans", async () => {
    const { before, after, checking, done, land } = scene();
    before.plans("c1");
    await settle();
    expect(checking.map(({ commit }) => commit)).toEqual(["mine on c1"]);
    expect(after.ahead).toBe("mine on c1");
    checking[0]?.give("passed");
    land("c1");
    expect(await done).toEqual({ candidate: { ok: true, base: "c1", commit: "mine on c1" }, result: "passed" });
  });

  test("a judgement that is not over when the turn comes is waited for", async () => {
    const { before, checking, done, land } = scene();
    before.plans("c1");
    await settle();
    land("c1");
    await settle();
    expect(checking[0]?.signal.aborted).toBe(false);
    checking[0]?.give("passed late");
    expect(await done).toMatchObject({ result: "passed late" });
  });

  test("where something else is planned, the first is called off, and another begun once nothing of it is left", async () => {
    const { before, after, checking, done, land } = scene();
    before.plans("c1");
    await settle();
    before.plans("c2");
    await settle();
    expect(checking.map(({ commit, signal }) => [commit, signal.aborted])).toEqual([["mine on c1", true]]);
    expect(after.ahead).toBeUndefined();
    checking[0]?.give("of c1");
    await settle();
    expect(checking.map(({ commit, signal }) => [commit, signal.aborted])).toEqual([
      ["mine on c1", true],
      ["mine on c2", false],
    ]);
    checking[1]?.give("of c2");
    land("c2");
    expect(await done).toMatchObject({ result: "of c2" });
  });

  test("counts for nothing where the one before leaves without landing, or lands something else", async () => {
    for (const tip of ["base", "other"]) {
      const { before, after, checking, done, land } = scene();
      before.plans("c1");
      await settle();
      checking[0]?.give("refused");
      land(tip);
      expect(await done).toBeUndefined();
      expect(checking[0]?.signal.aborted).toBe(true);
      expect(after.ahead).toBeUndefined();
    }
  });

  test("a candidate that conflicts with what is ahead is not judged, and nobody builds on it", async () => {
    const conflict: Candidate = { ok: false, base: "c1", conflicts: ["a"], detail: "" };
    const { before, after, checking, done, land } = scene({ build: () => Promise.resolve(conflict) });
    before.plans("c1");
    await settle();
    expect([checking, after.ahead]).toEqual([[], undefined]);
    land("c1");
    expect(await done).toBeUndefined();
  });

  test("a candidate that could not even be built is none: that is tried again on the base itself", async () => {
    const { before, checking, done, land } = scene({ build: () => Promise.reject(new Error("c1 is gone")) });
    before.plans("c1");
    await settle();
    land("base");
    expect(await done).toBeUndefined();
    expect(checking).toEqual([]);
  });

  test("one that could not be judged is none; one that broke is told of where its base has come, and only there", async () => {
    const none = scene();
    none.before.plans("c1");
    await settle();
    none.checking[0]?.give(undefined);
    none.land("c1");
    expect(await none.done).toBeUndefined();

    const broken = scene();
    broken.before.plans("c1");
    await settle();
    broken.checking[0]?.fail(new Error("no disk"));
    broken.land("c1");
    await expect(broken.done).rejects.toThrow("no disk");

    const dropped = scene();
    dropped.before.plans("c1");
    await settle();
    dropped.checking[0]?.fail(new Error("no disk"));
    dropped.land("base");
    expect(await dropped.done).toBeUndefined();
  });

  test("whoever is called off while waiting is told so once its judgement has ended", async () => {
    const { before, controller, checking, done } = scene();
    let over = false;
    void done.catch(() => (over = true));
    before.plans("c1");
    await settle();
    controller.abort(new Error("killed"));
    await settle();
    expect([checking[0]?.signal.aborted, over]).toEqual([true, false]);
    checking[0]?.fail(new Error("was called off"));
    await expect(done).rejects.toThrow("killed");
  });

  test("who is first waits for nobody", async () => {
    const lanes = new MergeQueue();
    const never = () => Promise.reject(new Error("not asked"));
    const needs = { place: lanes.enter("a"), signal: new AbortController().signal, build: never, check: never, baseTip: never };
    expect(await checkSpeculatively(needs)).toBeUndefined();
  });
});
