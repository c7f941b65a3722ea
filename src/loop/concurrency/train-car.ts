import type { PrepareFact } from "../../domain/run/prepare-fact.ts";
import { orAborted } from "../../domain/values/or-aborted.ts";
import type { Candidate } from "../../ports/vcs.ts";

/** A candidate that could be built. */
export type BuiltCandidate = Extract<Candidate, { ok: true }>;

/** The result of the checks of a train. */
export interface CheckOutcome {
  readonly ok: boolean;
  readonly evidence?: { readonly summary: string };
}

/** A part of a check that begins. */
export type PartStarted = Omit<Extract<PrepareFact, { type: "step-part-started" }>, "ticket" | "fence">;

/** A train as its cars see it. */
export interface RunningTrain {
  /** Its cars, in the order in which they land. */
  readonly ids: readonly string[];
  /** The cars that wait for the next train. */
  readonly behind: () => number;
  /** The cars that have been checked before and have not landed yet. */
  readonly below: () => readonly string[];
  /** Aborted if what it stands on does not land: its check says nothing then. */
  readonly signal: AbortSignal;
  /** Called once its check begins to run. */
  depart(): void;
  /** Tells its cars but the last what is being done for them. */
  tellOthers(part: PartStarted): void;
}

/** What a train needs to know of a change that is ready to be checked. `R` is the result of its checks. */
export interface CarOptions<R extends CheckOutcome> {
  readonly id: string;
  /** Cars of the same group may be checked together. Without a group, a car is checked alone. */
  readonly group?: string | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds for which a first car waits for others; 0 if its check is short. */
  readonly gatherMs: number;
  /** The changes of the same lane that may still come, with those that are here. */
  expected(): number;
  /** Builds the change as one commit on `onto`, or on the base's tip. */
  build(onto?: string): Promise<Candidate>;
  /** Checks the candidate of a train's last car. `base` is the commit below its first car. Calls `depart` as it begins. */
  check(candidate: BuiltCandidate, train: RunningTrain): Promise<R>;
  /** True if the failure of its train names what this change touches. It decides who is checked first, and nothing else. */
  isNamedBy(result: R): Promise<boolean>;
  /** Hears what is being done for its train. */
  hears(part: PartStarted): void;
  baseTip(): Promise<string>;
}

/**
 * Milliseconds for which a change that is ready waits for others that are under way: a twentieth of its checks, within these bounds, and
 * the least if nobody knows how long they take. Checks that take less than `SHORT_MS` are worth no wait.
 */
const GATHER_MS = { least: 500, most: 5_000 } as const;
const SHORT_MS = 2_000;

/** The wait of a change whose checks take these times, in milliseconds; undefined where nobody knows. */
export function gatherMsFor(times: readonly (number | undefined)[]): number {
  const known = times.filter((ms) => ms !== undefined);
  const sum = known.reduce((all, ms) => all + ms, 0);
  if (known.length === times.length && sum < SHORT_MS) return 0;
  return Math.min(Math.max(sum / 20, GATHER_MS.least), GATHER_MS.most);
}

/** A checked car: its own candidate and the result of its train; without a result, it conflicts with the base's tip. */
export interface CheckedCar<R> {
  readonly candidate: Candidate;
  readonly result?: R;
}

/** What a car needs of its lane. */
export interface CarLane<R extends CheckOutcome> {
  /** Settles with the next change of the lane. */
  readonly changed: Promise<void>;
  tell(): void;
  isFirst(car: Car<R>): boolean;
  add(car: Car<R>): void;
  /** Takes out a car that does not land as it was checked, and all that need it. It keeps its place in the order. */
  remove(car: Car<R>): void;
  /** Takes out a car that has landed, or will not come again. */
  forget(car: Car<R>): void;
}

/** Times that a car is checked again because its base has moved meanwhile. */
const CHASES = 5;

/** A change on its way to the base. */
export class Car<R extends CheckOutcome> {
  readonly options: CarOptions<R>;
  readonly #lane: CarLane<R>;
  #checked = Promise.withResolvers<CheckedCar<R>>();
  #departed = Promise.withResolvers<RunningTrain | undefined>();
  /** The cars that were checked with it. */
  #train: readonly Car<R>[] = [];
  #state: "under-check" | "failed" | "checked" | "ready" | "stale" | "landed" | "left" = "under-check";
  #chases = 0;
  candidate: BuiltCandidate | undefined;
  /** The failure of a train has named it: it is checked alone, after the others. */
  isSuspect = false;
  /** When it came to be checked. Milliseconds since the epoch. */
  waitsSince = 0;

  /** Made by `MergeTrains.enter`. */
  constructor(lane: CarLane<R>, options: CarOptions<R>) {
    this.#lane = lane;
    this.options = options;
  }

  get hasLeft(): boolean {
    return this.#state === "left";
  }

  /** True if its candidate could not be built or checked. */
  get hasFailed(): boolean {
    return this.#state === "failed";
  }

  /** True if it may be checked once more because its base has moved. */
  mayChase(): boolean {
    this.#chases += 1;
    return this.#chases <= CHASES;
  }

  /** True if its candidate will not land as it was built. */
  get isLost(): boolean {
    return ["left", "stale", "failed", "under-check"].includes(this.#state);
  }

  /** Waits until a train with this car was checked. Throws the signal's reason if it is aborted, or what its check threw. */
  check(): Promise<CheckedCar<R>> {
    this.#state = "under-check";
    this.candidate = undefined;
    this.#checked = Promise.withResolvers();
    this.#departed = Promise.withResolvers();
    this.#checked.promise.catch(() => undefined);
    this.#lane.add(this);
    return orAborted(this.#checked.promise, this.options.signal);
  }

  /** Waits until the check of its train begins to run, or it is settled without one. Throws the signal's reason. */
  get departed(): Promise<RunningTrain | undefined> {
    return orAborted(this.#departed.promise, this.options.signal);
  }

  /** Called by the lane once the check of its train runs. */
  depart(train: RunningTrain): void {
    this.#departed.resolve(train);
  }

  /**
   * Waits until the car may land its candidate: all cars before it have landed, and all of its train are ready to. False if it must be
   * checked again, because one of them has left or the base has moved. Throws the signal's reason.
   */
  async turn(): Promise<boolean> {
    if (this.#state === "checked") this.#state = "ready";
    this.#lane.tell();
    while (!this.isLost && !this.#mayLand) await orAborted(this.#lane.changed, this.options.signal);
    const isFresh = !this.isLost && this.candidate?.base === (await this.options.baseTip());
    if (!isFresh) this.#lane.remove(this);
    return isFresh;
  }

  get #mayLand(): boolean {
    return this.#lane.isFirst(this) && this.#train.every((car) => car.#state === "ready" || car.#state === "landed");
  }

  /** True if it stands on another car, or was checked with it. */
  dependsOn(other: Car<R>, isBehind: boolean): boolean {
    return isBehind || this.#train.includes(other);
  }

  /** Called by the lane: what it stands on, or was checked with, does not land. */
  invalidate(): void {
    this.#state = "stale";
  }

  /** Lets the next car land. */
  landed(): void {
    this.#state = "landed";
    this.#lane.forget(this);
  }

  /** Lets the others go on without this car. Safe to repeat. */
  leave(): void {
    if (this.#state !== "landed") this.#state = "left";
    this.#lane.forget(this);
  }

  /** Called by the lane once its train was checked; without cars, the car conflicts with the base. */
  settle(checked: CheckedCar<R>, train: readonly Car<R>[] = []): void {
    this.#train = train;
    this.#state = "checked";
    this.#departed.resolve(undefined);
    this.#checked.resolve(checked);
  }

  /** Called by the lane if its candidate could not be built or checked. */
  fail(error: unknown): void {
    this.#state = "failed";
    this.#departed.resolve(undefined);
    this.#checked.reject(error);
  }
}

/**
 * Parts the cars of a failed train: into those that the failure does not name, and those that it names, which become suspects. If it names
 * none or all of them, into halves.
 */
export async function partCars<R extends CheckOutcome>(
  cars: readonly Car<R>[],
  result: R,
): Promise<readonly [readonly Car<R>[], readonly Car<R>[]]> {
  // A git that fails here fails again as the cars are built, which tells of it.
  const named = await Promise.all(cars.map(({ options }) => options.isNamedBy(result).catch(() => false)));
  const suspects = cars.filter((_, i) => named[i]);
  if (suspects.length > 0 && suspects.length < cars.length) {
    for (const car of suspects) car.isSuspect = true;
    return [cars.filter((_, i) => !named[i]), suspects];
  }
  const half = Math.ceil(cars.length / 2);
  return [cars.slice(0, half), cars.slice(half)];
}
