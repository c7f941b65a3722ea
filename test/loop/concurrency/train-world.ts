import { expect } from "vitest";
import { MergeTrains } from "../../../src/loop/concurrency/merge-train.ts";
import type { Car, CarOptions, RunningTrain as Train } from "../../../src/loop/concurrency/train-car.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Candidate } from "../../../src/ports/vcs.ts";

export type Built = Extract<Candidate, { ok: true }>;
export type Result = { readonly ok: boolean; readonly commit: string };

/** Time passes with the turns of the event loop. */
export const CLOCK = {
  now: () => 0,
  after: (turns: number, then: () => void) => {
    const next = (left: number): void => void setImmediate(() => (left <= 1 ? then() : next(left - 1)));
    next(turns);
    return () => undefined;
  },
};

/** A commit is the cars that it holds, in their order: "base+a+b". */
export function carsIn(commit: string): readonly string[] {
  return commit.split("+").slice(1);
}

/** A base, and what is checked and landed on it. A tree fails if `isFaulty` says so. */
export function aWorld(isFaulty: (cars: readonly string[]) => boolean = () => false, clock: Clock = CLOCK) {
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
      isNamedBy: () => Promise.resolve(false),
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
