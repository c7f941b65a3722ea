import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Candidate } from "../../../src/ports/vcs.ts";
import { aWorld, type Built, carsIn } from "./train-world.ts";

describe("MergeTrains", () => {
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
      ...{ arrives: turns, builds: turns, checks: turns, reviews: turns, isNamed: fc.boolean() },
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
          cars.map(async ({ group, isNamed, isRejected, arrives, builds, checks, reviews }, i) => {
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
            const isNamedBy = () => Promise.resolve(isNamed);
            await ride(enter(id, { group, build, check, isNamedBy }), async () => {
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
