import { describe, expect, test } from "vitest";
import type { PartStarted, RunningTrain as Train } from "../../../src/loop/concurrency/train-car.ts";
import type { Candidate } from "../../../src/ports/vcs.ts";
import { aWorld, type Built, CLOCK, type Result } from "./train-world.ts";

const WAITS = "waits: its train failed, and a b c are checked first";

describe("MergeTrains", () => {
  test("checks candidates that are ready together once, and lands them in order, each as a commit of its own", async () => {
    const { world, enter, ride } = aWorld();
    await Promise.all(["a", "b", "c"].map((id) => ride(enter(id))));
    expect(world.runs).toEqual(["base+a+b+c"]);
    expect(world.landed).toEqual(["a", "b", "c"]);
    expect(world.departed[0]).toMatchObject({ ids: ["a", "b", "c"] });
  });

  test("checks a car without a group alone, and the others without it", async () => {
    const { world, enter, ride } = aWorld();
    await Promise.all([ride(enter("a")), ride(enter("b", { group: undefined })), ride(enter("c"))]);
    expect(world.runs).toHaveLength(2);
    expect(world.runs.every((commit) => !commit.endsWith("+b") || world.landed.indexOf("b") >= 0)).toBe(true);
    expect(world.landed.toSorted()).toEqual(["a", "b", "c"]);
  });

  test("halves a train that fails: the faulty car fails by a check of its own, and the second half hears why it waits", async () => {
    const { world, enter, ride } = aWorld((cars) => cars.includes("f"));
    const heard: string[] = [];
    const hear = (id: string) => (h: PartStarted) => void heard.push(`${id}: ${h.part} ${h.trainFailed ?? ""}`);
    await Promise.all(["a", "b", "c", "d", "e", "f"].map((id) => ride(enter(id, { hears: hear(id) }))));
    expect(heard.slice(0, 2)).toEqual(["its check failed", ""].map((why, i) => `${"de"[i]}: ${WAITS} ${why}`));
    expect(world.failed).toEqual(["f"]);
    expect(world.landed).toEqual(["a", "b", "c", "d", "e"]);
    expect(world.runs).toEqual(["base+a+b+c+d+e+f", "base+a+b+c", "base+a+b+c+d+e", "base+a+b+c+d+e+f"]);
  });

  test("checks the others together once the faulty car is known", async () => {
    const { world, enter, ride } = aWorld((cars) => cars.includes("a"));
    await Promise.all(["a", "b", "c", "d", "e", "f"].map((id) => ride(enter(id))));
    expect(world.failed).toEqual(["a"]);
    expect(world.runs.at(-1)).toBe("base+b+c+d+e+f");
    expect(world.runs).toHaveLength(5);
  });

  test("those that the failure names are checked alone, after all others, and these land with one check", async () => {
    const bad = ["b", "d", "e"];
    const { world, enter, ride } = aWorld((cars) => cars.some((id) => bad.includes(id)));
    const isNamedBy =
      (id: string) =>
      ({ commit }: Result) =>
        Promise.resolve(bad.includes(id) && commit.includes(id));
    await Promise.all(["a", "b", "c", "d", "e"].map((id) => ride(enter(id, { isNamedBy: isNamedBy(id) }))));
    expect(world.landed).toEqual(["a", "c"]);
    expect(world.failed).toEqual(["b", "d", "e"]);
    expect(world.runs).toEqual(["base+a+b+c+d+e", "base+a+c", "base+a+c+b", "base+a+c+d", "base+a+c+e"]);
  });

  test("a failure that names an honest car costs it one check of its own", async () => {
    const { world, enter, ride } = aWorld((cars) => cars.includes("c"));
    const isNamedBy = () => Promise.resolve(true);
    await Promise.all(["a", "b", "c", "d"].map((id) => ride(enter(id, id === "b" ? { isNamedBy } : {}))));
    expect(world.failed).toEqual(["c"]);
    expect(world.landed.toSorted()).toEqual(["a", "b", "d"]);
    expect(world.runs.filter((commit) => commit.endsWith("+b"))).toHaveLength(1);
  });

  test("a car that leaves before it has landed takes nobody along: its train is checked again without it", async () => {
    const { world, enter, ride } = aWorld();
    await Promise.all([ride(enter("a")), ride(enter("b"), () => Promise.resolve(false)), ride(enter("c"))]);
    expect(world.landed).toEqual(["a", "c"]);
    expect(world.runs).toEqual(["base+a+b+c", "base+a+c"]);
  });

  test("waits for no others with a car that has waited for another train", async () => {
    let now = 0;
    const waits: number[] = [];
    const clock = {
      now: () => now,
      after: (ms: number, then: () => void) => (waits.push(ms), CLOCK.after(1, then)),
    };
    const { enter, ride } = aWorld(undefined, clock);
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const check = async ({ commit }: Built) => {
      begun.resolve();
      await over.promise;
      return { ok: true, commit };
    };
    const first = ride(enter("a", { gatherMs: 500, check }));
    await begun.promise;
    const second = ride(enter("b", { gatherMs: 500 }));
    // Its own wait ends with the next turn.
    for (let n = 0; waits.length < 2 || n < 9; n += 1) await new Promise((resolve) => setImmediate(resolve));
    now = 600;
    over.resolve();
    await Promise.all([first, second]);
    expect(waits).toEqual([500, 500]);
  });

  test("checks the next train on the one that has passed and waits for its other steps", async () => {
    const { world, enter, ride } = aWorld();
    const reviewed = Promise.withResolvers<boolean>();
    const first = ride(enter("a"), () => reviewed.promise);
    while (world.runs.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = ride(enter("b"));
    while (world.runs.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(world.runs).toEqual(["base+a", "base+a+b"]);
    expect(world.landed).toEqual([]);
    reviewed.resolve(true);
    await Promise.all([first, second]);
    expect(world.landed).toEqual(["a", "b"]);
  });

  test("a car that is checked again, and a train that stood on it, do not cut each other's checks off", async () => {
    const { world, enter, ride } = aWorld();
    const signals: AbortSignal[] = [];
    const release = Promise.withResolvers<void>();
    const check = async ({ commit }: Built, { signal }: Train) => {
      signals.push(signal);
      if (signals.length > 50) throw new Error("they are checked for ever");
      world.runs.push(commit);
      if (commit === "base+a+b") await release.promise;
      // A command that is cut off takes its time to end.
      else for (let turn = 0; turn < 9; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) throw new Error("cut off");
      return { ok: true, commit };
    };
    // Without a group, each is a train by itself.
    const [a, b] = ["a", "b"].map((id) => enter(id, { group: undefined, check }));
    if (a === undefined || b === undefined) throw new Error("no cars");
    await a.check();
    const second = ride(b);
    while (world.runs.length < 2) await new Promise((resolve) => setImmediate(resolve));
    // As where the base has moved while this one waited to land.
    const first = ride(a);
    while (world.runs.length < 3) await new Promise((resolve) => setImmediate(resolve));
    release.resolve();
    await Promise.all([first, second]);
    expect(world.landed.toSorted()).toEqual(["a", "b"]);
    expect(world.runs.length).toBeLessThan(7);
  });

  test("what fails on a car that then leaves counts for nothing", async () => {
    const { world, enter, ride } = aWorld((cars) => cars.includes("a") && cars.includes("b"));
    const reviewed = Promise.withResolvers<boolean>();
    const first = ride(enter("a"), () => reviewed.promise);
    while (world.runs.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = ride(enter("b"));
    while (world.runs.length < 2) await new Promise((resolve) => setImmediate(resolve));
    reviewed.resolve(false);
    await Promise.all([first, second]);
    expect(world.landed).toEqual(["b"]);
    expect(world.failed).toEqual([]);
  });

  test("a car that conflicts with one before it waits until that has landed, and with the base's tip it fails", async () => {
    const { world, enter, ride } = aWorld();
    const build = (onto = world.tip) =>
      Promise.resolve<Candidate>(
        onto.includes("+a")
          ? { ok: false, base: onto, conflicts: ["x"], detail: "" }
          : { ok: true, base: onto, commit: `${onto}+b` },
      );
    await Promise.all([ride(enter("a")), ride(enter("b", { build })), ride(enter("c"))]);
    expect(world.failed).toEqual(["b"]);
    expect(world.landed).toEqual(["a", "c"]);
  });

  test("a check that is cut off with its car ends that car alone", async () => {
    const { world, enter, ride } = aWorld();
    const rest = [ride(enter("a")), ride(enter("b"))];
    const broken = ride(enter("c", { check: () => Promise.reject(new Error("killed")) })).catch((error: Error) => error.message);
    expect(await broken).toBe("killed");
    await Promise.all(rest);
    expect(world.landed).toEqual(["a", "b"]);
  });

  test("a base that somebody else has moved is followed", async () => {
    const { world, enter, ride } = aWorld();
    let isMoved = false;
    const review = () => {
      if (!isMoved) world.tip = "base+x";
      isMoved = true;
      return Promise.resolve(true);
    };
    await Promise.all([ride(enter("a"), review), ride(enter("b"))]);
    expect(world.tip).toBe("base+x+a+b");
    expect(world.runs).toEqual(["base+a+b", "base+x+a+b"]);
  });
});
