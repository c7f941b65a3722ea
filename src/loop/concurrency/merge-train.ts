import { plainText } from "../../domain/values/text.ts";
import type { Clock } from "../../ports/clock.ts";
import { Car, type CarLane, type CarOptions, type CheckOutcome, partCars, type RunningTrain } from "./train-car.ts";

/** A train under check. */
interface Flight<R extends CheckOutcome> {
  readonly cars: readonly Car<R>[];
  /** The car that it stands on; undefined if that is the base's tip. */
  readonly below: Car<R> | undefined;
  readonly cancelled: AbortController;
}

/** The result of a train that failed, and the commit that it is about. */
interface FailedTrain<R extends CheckOutcome> {
  readonly commit: string;
  readonly result: R;
  /** It stood on the base's tip. */
  readonly isOnTip: boolean;
}

/** Cars of one train, at most: halving 16 takes four checks. */
const MOST_CARS = 16;

/**
 * The merge trains of each lane of landings. Ready candidates are built on each other and checked once, and land in order as one
 * commit each. A train that fails is parted, so that only a faulty car fails, by a check of its own: into the cars that the failure
 * names and the others, or into halves. The next train is built on
 * those that are under check or wait for their other steps; nothing that fails on top of those counts before they have landed.
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

/** The cars of one lane. Trains are checked beside each other if their cars are of different groups, each on the one before it. */
class Lane<R extends CheckOutcome> implements CarLane<R> {
  readonly #clock: Clock;
  readonly #order = new Map<Car<R>, number>();
  #waiting: Car<R>[] = [];
  /** Under check, in the order in which they will land. */
  #flights: Flight<R>[] = [];
  /** Checked, and not landed yet. */
  #passed: Car<R>[] = [];
  #isDriving = false;
  #isHalving = false;
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
    car.waitsSince = this.#clock.now();
    this.remove(car);
    this.#putBack([car]);
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
      const cars = this.#isHalving ? [] : this.#depart();
      if (cars.length > 0) await this.#start(cars);
      else if (this.#waiting.length > 0) await this.changed;
    }
    this.#isDriving = false;
  }

  /** Waits for others that may come soon: each of them saves a check. What has waited for another train has waited for them, too. */
  async #gather(): Promise<void> {
    const [first] = this.#waiting;
    if (first?.options.group === undefined) return;
    const leftMs = first.waitsSince + first.options.gatherMs - this.#clock.now();
    if (leftMs <= 0) return;
    const over = Promise.withResolvers<void>();
    const cancel = this.#clock.after(leftMs, over.resolve);
    let isOver = false;
    void over.promise.then(() => {
      isOver = true;
    });
    while (!isOver && this.#waiting.length > 0 && this.#order.size < first.options.expected())
      await Promise.race([over.promise, this.changed]);
    cancel();
  }

  /**
   * The waiting cars that are checked next: the first of a group that is not under check, with those of its group. A suspect is checked
   * after all others, and alone: it would cost them another check of their own.
   */
  #depart(): readonly Car<R>[] {
    const groups = new Set(this.#flights.flatMap(({ cars }) => cars.map(({ options }) => options.group)));
    groups.delete(undefined);
    const free = this.#waiting.filter(({ options }) => !groups.has(options.group));
    const first = free.find(({ isSuspect }) => !isSuspect) ?? free[0];
    if (first === undefined) return [];
    const { group } = first.options;
    const isWithIt = (car: Car<R>) => car.options.group === group && !car.isSuspect;
    const isShared = group !== undefined && !first.isSuspect;
    const train = isShared ? this.#waiting.filter(isWithIt).slice(0, MOST_CARS) : [first];
    this.#waiting = this.#waiting.filter((car) => !train.includes(car));
    return train;
  }

  #putBack(cars: readonly Car<R>[]): void {
    const all = [...this.#waiting, ...cars.filter(({ hasLeft }) => !hasLeft)];
    this.#waiting = all.toSorted((a, b) => (this.#order.get(a) ?? 0) - (this.#order.get(b) ?? 0));
    this.tell();
    if (this.#isDriving || all.length === 0) return;
    this.#isDriving = true;
    // It never throws: what a car throws is the car's.
    void this.#drive();
  }

  async #start(cars: readonly Car<R>[]): Promise<void> {
    const flight = await this.#build(cars, this.#flights.findLast(({ cancelled }) => !cancelled.signal.aborted)?.cars.at(-1));
    if (flight === undefined) return;
    // What it stands on may have failed while it was built.
    if (this.#isHalving || this.#isGone(flight.below)) return this.#putBack(flight.cars);
    this.#flights.push(flight);
    void this.#fly(flight);
  }

  /** True for a car that will not land as it was built, and is in no train under check. */
  #isGone(car: Car<R> | undefined): boolean {
    if (car?.isLost !== true) return false;
    return !this.#flights.some(({ cars, cancelled }) => !cancelled.signal.aborted && cars.includes(car));
  }

  /** Checks a train, and ends it once those before it have ended. */
  async #fly(flight: Flight<R>): Promise<void> {
    const { signal } = flight.cancelled;
    const result = await this.#check(flight);
    while (!signal.aborted && this.#flights[0] !== flight) await this.changed;
    const isSound = result !== undefined && !signal.aborted && this.#isSound(flight);
    if (isSound && result.ok) this.#pass(flight.cars, result);
    else if (isSound) await this.#fail(flight, result);
    else {
      this.#cancelBehind(flight);
      this.#putBack(flight.cars.filter((car) => !car.hasFailed));
    }
    this.#flights = this.#flights.filter((other) => other !== flight);
    this.tell();
  }

  #isSound({ below, cars }: Flight<R>): boolean {
    return below?.isLost !== true && !cars.some(({ hasLeft }) => hasLeft);
  }

  /** Cancels the trains that stand on this one. One that began after this one was cancelled stands on another. */
  #cancelBehind(flight: Flight<R>): void {
    const lost = new Set(flight.cars);
    for (const { below, cars, cancelled } of this.#flights.slice(this.#flights.indexOf(flight) + 1)) {
      if (below === undefined || !lost.has(below)) continue;
      cancelled.abort();
      for (const car of cars) lost.add(car);
    }
  }

  #pass(cars: readonly Car<R>[], result: R): void {
    this.#passed.push(...cars);
    for (const car of cars) if (car.candidate) car.settle({ candidate: car.candidate, result }, cars);
    this.tell();
  }

  /** Finds the faulty cars of a failed train. Nothing else departs meanwhile. */
  async #fail(flight: Flight<R>, result: R): Promise<void> {
    this.#cancelBehind(flight);
    this.#isHalving = true;
    const commit = flight.cars.at(-1)?.candidate?.commit ?? "";
    await this.#halve(flight.cars, { commit, result, isOnTip: flight.below === undefined });
    this.#isHalving = false;
  }

  /** Checks the first part. If all of it passes, a car of the rest is at fault; else the others go on together. */
  async #halve(cars: readonly Car<R>[], failed: FailedTrain<R>): Promise<boolean> {
    const [only] = cars;
    if (only !== undefined && cars.length === 1) return this.#failAlone(only, failed);
    const [first, rest] = await partCars(cars, failed.result);
    const ids = first.map(({ options }) => options.id);
    const part = `waits: its train failed, and ${ids.join(" ")} ${ids.length === 1 ? "is" : "are"} checked first`;
    const trainFailed = plainText(failed.result.evidence?.summary ?? "its check failed", 300);
    for (const [i, car] of rest.entries())
      car.options.hears({ type: "step-part-started", part, trainFailed: i === 0 ? trainFailed : undefined });
    const areSeveralSuspects = rest.length > 1 && rest.some(({ isSuspect }) => isSuspect);
    if ((await this.#run(first)) && !areSeveralSuspects) return this.#run(rest, failed);
    this.#putBack(rest);
    return false;
  }

  /** Checks cars of a failed train by themselves. True if all of them have passed. */
  async #run(cars: readonly Car<R>[], before?: FailedTrain<R>): Promise<boolean> {
    // What fails on a car that has not landed would be checked once more.
    while (cars.length === 1 && this.#passed.length > 0) await this.changed;
    const flight = await this.#build(cars);
    const commit = flight?.cars.at(-1)?.candidate?.commit;
    if (flight === undefined || commit === undefined) return false;
    // One car by itself fails by a check of its own: the train may have failed by chance.
    if (before?.commit === commit && flight.cars.length > 1) return this.#halve(flight.cars, before);
    const result = await this.#check(flight);
    if (result === undefined || !this.#isSound(flight)) {
      this.#putBack(flight.cars.filter((car) => !car.hasFailed));
      return false;
    }
    if (!result.ok) return this.#halve(flight.cars, { commit, result, isOnTip: flight.below === undefined });
    this.#pass(flight.cars, result);
    return flight.cars.length === cars.length;
  }

  /** Settles a car that fails by itself. A failure on what had not landed is checked again once that has. */
  async #failAlone(car: Car<R>, { result, isOnTip }: FailedTrain<R>): Promise<boolean> {
    const { candidate } = car;
    if (candidate === undefined) return false;
    while (this.#passed.length > 0) await this.changed;
    const tip = await car.options.baseTip().catch(() => candidate.base);
    if ((isOnTip && tip === candidate.base) || car.mayChase() === false) car.settle({ candidate, result });
    else this.#putBack([car]);
    return false;
  }

  /**
   * Builds each car on the one before it. One that conflicts there waits until those have landed; one that conflicts with the base's
   * tip is settled. Undefined if no car is left.
   */
  async #build(cars: readonly Car<R>[], onto = this.#passed.at(-1)): Promise<Flight<R> | undefined> {
    const built: Car<R>[] = [];
    const postponed: Car<R>[] = [];
    for (const car of cars) {
      if (car.hasLeft) continue;
      const at = (built.at(-1) ?? onto)?.candidate?.commit;
      const candidate = await car.options.build(at).catch((error: unknown) => void car.fail(error));
      if (candidate === undefined) continue;
      if (candidate.ok) {
        car.candidate = candidate;
        built.push(car);
      } else if (at === undefined) car.settle({ candidate });
      else postponed.push(car);
    }
    if (built.length === 0 && postponed.length > 0) await this.changed;
    this.#putBack(postponed);
    return built.length === 0 ? undefined : { cars: built, below: onto, cancelled: new AbortController() };
  }

  /** The result of a train; undefined if its check was cut off. */
  async #check({ cars, cancelled }: Flight<R>): Promise<R | undefined> {
    const last = cars.at(-1);
    const base = cars[0]?.candidate?.base;
    if (last?.candidate === undefined || base === undefined) return undefined;
    const train: RunningTrain = {
      ids: cars.map(({ options }) => options.id),
      behind: () => this.#waiting.length,
      below: () => this.#passed.map(({ options }) => options.id),
      signal: cancelled.signal,
      depart: () => {
        for (const car of cars) car.depart(train);
      },
      tellOthers: (part) => {
        for (const { options } of cars.slice(0, -1)) options.hears(part);
      },
    };
    return last.options.check({ ...last.candidate, base }, train).catch((error: unknown) => {
      // What is cancelled is checked again.
      if (!cancelled.signal.aborted || last.options.signal.aborted) last.fail(error);
      return undefined;
    });
  }
}
