import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MergeTrains } from "../../../src/loop/concurrency/merge-train.ts";
import type { Car, CarOptions, PartStarted, RunningTrain as Train } from "../../../src/loop/concurrency/train-car.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Candidate } from "../../../src/ports/vcs.ts";

type Built = Extract<Candidate, { ok: true }>;
type Result = { readonly ok: boolean; readonly commit: string };

/** Time passes with the turns of the event loop. */
const CLOCK = {
  now: () => 0,
  after: (turns: number, then: () => void) => {
    const next = (left: number): void => void setImmediate(() => (left <= 1 ? then() : next(left - 1)));
    next(turns);
    return () => undefined;
  },
};

/** A commit is the cars that it holds, in their order: "base+a+b". */
function carsIn(commit: string): readonly string[] {
  return commit.split("+").slice(1);
}

const WAITS = "waits: its train failed, and a b c are checked first";
/** A base, and what is checked and landed on it. A tree fails if `isFaulty` says so. */
function aWorld(isFaulty: (cars: readonly string[]) => boolean = () => false, clock: Clock = CLOCK) {
  const trains = new MergeTrains<Result>(clock);
  const world = { tip: "base", runs: [] as string[], landed: [] as string[], failed: [] as string[], departed: [] as Train[] };
  const enter = (id: string, over: Partial<CarOptions<Result>> = {}): Car<Result> =>
    trains.enter("app", {
      id,
      group: "tests",
      signal: new AbortController().signal,
      gatherMs: 3,
      expected: () => 99,
      build: (onto = world.tip) => Promise.resolve<Candidate>({ ok: true, base: onto, commit: `${onto}+${id}` }),
      check: async ({ commit }: Built, train) => {
        world.departed.push(train);
        world.runs.push(commit);
        await new Promise((resolve) => setImmediate(resolve));
        return { ok: !isFaulty(carsIn(commit)), commit };
      },
      hears: () => undefined,
      baseTip: () => Promise.resolve(world.tip),
      ...over,
    });
  /** What an attempt does with its car: true if it has landed. */
  const ride = async (car: Car<Result>, review: () => Promise<boolean> = () => Promise.resolve(true)): Promise<boolean> => {
    try {
      for (;;) {
        const { candidate, result } = await car.check();
        if (!candidate.ok || result?.ok !== true) {
          world.failed.push(car.options.id);
          return false;
        }
        if (!(await review())) return false;
        if (!(await car.turn())) continue;
        expect(candidate.base).toBe(world.tip);
        world.tip = candidate.commit;
        world.landed.push(car.options.id);
        car.landed();
        return true;
      }
    } finally {
      car.leave();
    }
  };
  return { world, enter, ride };
}

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

  test("in random trains exactly the faulty cars fail, order is kept, and halving bounds the checks", async () => {
    const aCar = fc.record({ isFaulty: fc.boolean(), isRejected: fc.boolean(), delay: fc.integer({ min: 0, max: 4 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(aCar, { minLength: 1, maxLength: 12 }), async (cars) => {
        const faulty = new Set(cars.flatMap(({ isFaulty }, i) => (isFaulty ? [`t${i}`] : [])));
        const { world, enter, ride } = aWorld((ids) => ids.some((id) => faulty.has(id)));
        await Promise.all(
          cars.map(async ({ isRejected, delay }, i) => {
            for (let n = 0; n < delay; n += 1) await new Promise((resolve) => setImmediate(resolve));
            await ride(enter(`t${i}`), () => Promise.resolve(!isRejected));
          }),
        );
        const sound = cars.flatMap(({ isFaulty, isRejected }, i) => (isFaulty || isRejected ? [] : [`t${i}`]));
        expect(world.landed.toSorted()).toEqual(sound.toSorted());
        expect(world.failed.toSorted()).toEqual([...faulty].toSorted());
        expect(carsIn(world.tip)).toEqual(world.landed);
        const bad = cars.filter(({ isFaulty, isRejected }) => isFaulty || isRejected).length;
        const arrivals = new Set(cars.map(({ delay }) => delay)).size;
        expect(world.runs.length).toBeLessThanOrEqual(arrivals + bad * (2 + 2 * Math.ceil(Math.log2(cars.length + 1))) + 1);
      }),
      { numRuns: 300 },
    );
  });

  test("whatever takes how long, in trains of any groups, nobody is checked for ever", async () => {
    const turns = fc.integer({ min: 0, max: 4 });
    const aCar = fc.record({
      ...{ group: fc.constantFrom(undefined, "a", "b"), isFaulty: fc.boolean(), isRejected: fc.boolean() },
      ...{ arrives: turns, builds: turns, checks: turns, reviews: turns },
    });
    const pass = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    await fc.assert(
      fc.asyncProperty(fc.array(aCar, { minLength: 2, maxLength: 6 }), async (cars) => {
        const faulty = new Set(cars.flatMap(({ isFaulty }, i) => (isFaulty ? [`t${i}`] : [])));
        const { world, enter, ride } = aWorld();
        const most = cars.length * (cars.length + 3);
        await Promise.all(
          cars.map(async ({ group, isRejected, arrives, builds, checks, reviews }, i) => {
            const id = `t${i}`;
            const build = async (onto = world.tip): Promise<Candidate> => {
              await pass(builds);
              return { ok: true, base: onto, commit: `${onto}+${id}` };
            };
            const check = async ({ commit }: Built) => {
              world.runs.push(commit);
              if (world.runs.length > most) throw new Error(`checked for ever: ${world.runs.slice(-9).join(" ")}`);
              await pass(checks);
              return { ok: !carsIn(commit).some((each) => faulty.has(each)), commit };
            };
            await pass(arrives);
            await ride(enter(id, { group, build, check }), async () => {
              await pass(reviews);
              return !isRejected;
            });
          }),
        );
        const sound = cars.flatMap(({ isFaulty, isRejected }, i) => (isFaulty || isRejected ? [] : [`t${i}`]));
        expect(world.landed.toSorted()).toEqual(sound.toSorted());
        expect(world.failed.toSorted()).toEqual([...faulty].toSorted());
        expect(carsIn(world.tip)).toEqual(world.landed);
      }),
      { numRuns: 500 },
    );
  });
});
