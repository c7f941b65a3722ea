import type { Clock } from "../../ports/clock.ts";
import { type BuiltCandidate, Car, type CarLane, type CarOptions, type CheckOutcome, type Train } from "./train-car.ts";

/** A train that failed: the last car of its second half is the same commit if its first half lands. */
interface FailedTrain<R> {
  readonly commit: string;
  readonly result: R;
  /** It stood on the base's tip. */
  readonly isOnTip: boolean;
}

/** Cars of one train, at most: halving 16 takes four checks. */
const MOST_CARS = 16;

/** Times that a single car is checked again because its base has moved meanwhile. */
const CHASES = 5;

/**
 * The merge trains of each lane of landings. Ready candidates are built on each other and checked once, and land in order as one
 * commit each. A train that fails is halved, so that only a faulty car fails, by a check of its own. The next train is built on
 * cars that have passed and wait for their other steps; nothing that fails on top of those counts before they have landed.
 */
export class MergeTrains<R extends CheckOutcome> {
  readonly #clock: Clock;
  readonly #lanes = new Map<string, Lane<R>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A new car of a lane. The caller must let it leave. */
  enter(key: string, options: CarOptions<R>): Car<R> {
    const lane = this.#lanes.get(key) ?? new Lane<R>(this.#clock);
    this.#lanes.set(key, lane);
    return new Car(lane, options);
  }
}

/** The cars of one lane, in the order in which they came. */
class Lane<R extends CheckOutcome> implements CarLane<R> {
  readonly #clock: Clock;
  readonly #order = new Map<Car<R>, number>();
  #waiting: Car<R>[] = [];
  /** Checked, and not landed yet. */
  #passed: Car<R>[] = [];
  /** The car that the train under check stands on, unless it stands on the base's tip. */
  #below: Car<R> | undefined;
  #isDriving = false;
  #changed = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  tell(): void {
    const before = this.#changed;
    this.#changed = Promise.withResolvers();
    before.resolve();
  }

  isFirst(car: Car<R>): boolean {
    return this.#passed[0] === car;
  }

  add(car: Car<R>): void {
    if (!this.#order.has(car)) this.#order.set(car, Math.max(0, ...this.#order.values()) + 1);
    this.remove(car);
    this.#putBack([car]);
    if (this.#isDriving) return;
    this.#isDriving = true;
    // It never throws: what a car throws is the car's.
    void this.#drive();
  }

  remove(car: Car<R>): void {
    const at = this.#passed.indexOf(car);
    const lost = at < 0 ? [] : this.#passed.filter((other, i) => other !== car && other.dependsOn(car, i > at));
    for (const other of lost) other.invalidate();
    this.#takeOut([car, ...lost]);
  }

  forget(car: Car<R>): void {
    this.#order.delete(car);
    if (car.hasLeft) this.remove(car);
    else this.#takeOut([car]);
  }

  #takeOut(cars: readonly Car<R>[]): void {
    this.#waiting = this.#waiting.filter((car) => !cars.includes(car));
    this.#passed = this.#passed.filter((car) => !cars.includes(car));
    this.tell();
  }

  async #drive(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      const train = this.#depart();
      if (train.length > 0) await this.#run(train);
    }
    this.#isDriving = false;
  }

  /** Waits for others that may come soon: each of them saves a check. */
  async #gather(): Promise<void> {
    const [first] = this.#waiting;
    if (first?.options.group === undefined || first.options.gatherMs <= 0) return;
    const over = Promise.withResolvers<void>();
    const cancel = this.#clock.after(first.options.gatherMs, over.resolve);
    let isOver = false;
    void over.promise.then(() => {
      isOver = true;
    });
    while (!isOver && this.#waiting.length > 0 && this.#order.size < first.options.expected())
      await Promise.race([over.promise, this.changed]);
    cancel();
  }

  /** The waiting cars that are checked next: the first one, with those of its group. */
  #depart(): readonly Car<R>[] {
    const [first] = this.#waiting;
    if (first === undefined) return [];
    const { group } = first.options;
    const isAlone = group === undefined;
    const train = isAlone ? [first] : this.#waiting.filter(({ options }) => options.group === group).slice(0, MOST_CARS);
    this.#waiting = this.#waiting.filter((car) => !train.includes(car));
    return train;
  }

  #putBack(cars: readonly Car<R>[]): void {
    const all = [...this.#waiting, ...cars.filter(({ hasLeft }) => !hasLeft)];
    this.#waiting = all.toSorted((a, b) => (this.#order.get(a) ?? 0) - (this.#order.get(b) ?? 0));
    this.tell();
  }

  /** Checks these cars as one train. True if all of them have passed. */
  async #run(cars: readonly Car<R>[], before?: FailedTrain<R>, chase = 0): Promise<boolean> {
    const built = await this.#build(cars);
    const last = built.at(-1);
    const { candidate } = last ?? {};
    if (last === undefined || candidate === undefined) return false;
    const isOnTip = this.#below === undefined;
    const isKnown = before?.commit === candidate.commit;
    const result = isKnown ? before.result : await this.#check(built, last, candidate);
    if (result === undefined) return false;
    if (result.ok) {
      this.#passed.push(...built);
      for (const car of built) if (car.candidate) car.settle({ candidate: car.candidate, result }, built);
      this.tell();
      return built.length === cars.length;
    }
    const failed = isKnown ? before : { commit: candidate.commit, result, isOnTip };
    if (built.length > 1) return this.#halve(built, failed);
    return this.#failAlone(last, failed, chase);
  }

  /** Settles a car that fails by itself. A failure on what has not landed is checked again once that has. */
  async #failAlone(car: Car<R>, { result, isOnTip }: FailedTrain<R>, chase: number): Promise<boolean> {
    const { candidate } = car;
    if (candidate === undefined) return false;
    const isSure = (await this.#hasLandedBelow(car, candidate)) && isOnTip;
    if (!isSure && chase < CHASES) return this.#run([car], undefined, chase + 1);
    car.settle({ candidate, result });
    return false;
  }

  /** Checks the first half. If all of it passes, a car of the second half is at fault; else the others go on together. */
  async #halve(cars: readonly Car<R>[], failed: FailedTrain<R>): Promise<boolean> {
    const half = Math.ceil(cars.length / 2);
    const rest = cars.slice(half);
    if (await this.#run(cars.slice(0, half))) return this.#run(rest, failed);
    this.#putBack(rest);
    return false;
  }

  /** Waits until nothing is about to land, and gives true if the car stands on the base's tip then. */
  async #hasLandedBelow({ options }: Car<R>, { base }: BuiltCandidate): Promise<boolean> {
    while (this.#passed.length > 0) await this.changed;
    return (await options.baseTip().catch(() => base)) === base;
  }

  /**
   * Builds each car on the one before it. One that conflicts there waits until those have landed; one that conflicts with the base's
   * tip is settled.
   */
  async #build(cars: readonly Car<R>[]): Promise<readonly Car<R>[]> {
    this.#below = this.#passed.at(-1);
    let onto = this.#below?.candidate?.commit;
    const built: Car<R>[] = [];
    const postponed: Car<R>[] = [];
    for (const car of cars) {
      if (car.hasLeft) continue;
      const candidate = await car.options.build(onto).catch((error: unknown) => void car.fail(error));
      if (candidate === undefined) continue;
      if (candidate.ok) {
        car.candidate = candidate;
        built.push(car);
        onto = candidate.commit;
      } else if (onto === undefined) car.settle({ candidate });
      else postponed.push(car);
    }
    if (built.length > 0 || postponed.length === 0) {
      this.#putBack(postponed);
      return built;
    }
    await this.changed;
    return this.#build(postponed);
  }

  /** The result of a train; undefined if nobody can tell, because a car has left meanwhile or the check was cut off. */
  async #check(built: readonly Car<R>[], last: Car<R>, candidate: BuiltCandidate): Promise<R | undefined> {
    const train: Train = {
      ids: built.map(({ options }) => options.id),
      behind: this.#waiting.length,
      depart: () => {
        for (const car of built) car.depart(train);
      },
      tell: (part) => {
        for (const { options } of built) options.hears(part, train);
      },
    };
    const base = built[0]?.candidate?.base ?? candidate.base;
    const result = await last.options.check({ ...candidate, base }, train).catch((error: unknown) => void last.fail(error));
    const isSound = this.#below?.isLost !== true && !built.some(({ hasLeft }) => hasLeft);
    if (result !== undefined && isSound) return result;
    this.#putBack(built.filter((car) => car !== last || result !== undefined));
    return undefined;
  }
}
