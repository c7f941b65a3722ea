import { setTimeout as pause } from "node:timers/promises";
import { changedPart, type FrozenSet } from "../../domain/run/frozen-set.ts";
import { errorMessage } from "../../domain/values/text.ts";
import type { FrozenProgram, Judging, OracleBatch, ReadListing } from "../../ports/oracle.ts";
import type { Tripwire } from "../../ports/tripwire.ts";
import type { Age, Canary, Expected, Scene } from "./canary.ts";
import { judgeWithCopies } from "./copy-comparison.ts";
import { findFirstProblem } from "./in-turns.ts";
import type { Likeness } from "./likeness.ts";
import { isMachineFault, judgeWithRetry } from "./machine-fault.ts";
import { allCanaries } from "./scenarios.ts";
import { withKeys } from "./service-issues.ts";
import { type DecoyFolders, type TrackerLocation, writeHalf, writeHuge, writeTorn, writeTracker } from "./write-tracker.ts";

/** Concurrent judgements: the first workers start at the same moment. */
const AT_A_TIME = 2;

/** The delay before the proof begins, in milliseconds: agents that are due at the same moment start first. */
const LATER_MS = 200;

export interface CanaryTripwireOptions {
  readonly program: FrozenProgram;
  /** The run's batch and the look of its tickets, both as they have grown so far. */
  readonly batch: () => OracleBatch;
  readonly like: () => Likeness;
  readonly hides: DecoyFolders;
  /** Reads a tracker behind a program; needed only for one. */
  readonly listing?: ReadListing | undefined;
  /** True if the program only needs to return exit codes. */
  readonly plain: boolean;
  /** False for a program that ignores the tracker it is given: it cannot be tried then, and only the hashes count. */
  readonly canaries: boolean;
  readonly recorded: FrozenSet | undefined;
  readonly frozen: () => FrozenSet;
}

/** Proves the oracle by canaries. Each proof makes new random ones. A fault of the machine leaves it unproven. */
export function createCanaryTripwire(options: CanaryTripwireOptions): Tripwire {
  return {
    async check(signal, urgent = () => false) {
      const startedAt = performance.now();
      const judged = { canaries: 0 };
      const found = await firstProblem(options, { signal, urgent }, judged).then(
        (problem): Found | undefined => (problem === undefined ? undefined : { problem }),
        (cause: unknown): Found => ({
          problem: `the canaries could not be judged: ${errorMessage(cause)}`,
          unproven: isMachineFault(cause) || undefined,
        }),
      );
      if (signal.aborted) return undefined;
      const numbers = { canaries: judged.canaries, ms: Math.round(performance.now() - startedAt) };
      if (found === undefined) return { ok: true, ...numbers };
      return { ok: false, ...found, problem: found.problem.slice(0, 1_000), ...numbers };
    },
  };
}

/** The reason why a proof is not ok. */
interface Found {
  readonly problem: string;
  readonly unproven?: true;
}

async function firstProblem(
  options: CanaryTripwireOptions,
  { signal, urgent }: { readonly signal: AbortSignal; readonly urgent: () => boolean },
  judged: { canaries: number },
): Promise<string | undefined> {
  if (options.recorded === undefined) return "the journal holds no record of what must not change";
  const changed = changedPart(options.recorded, options.frozen());
  if (changed !== undefined) return `what must not change has changed since the run began: the ${changed}`;
  if (!options.canaries) return undefined;
  await pause(LATER_MS, undefined, { signal }).catch(() => undefined);
  judged.canaries = 0;
  await options.hides.sweep();
  const queue: readonly (Canary | "twins")[] = [...allCanaries(options.batch().tracker, options.like(), options.plain), "twins"];
  const problem = await findFirstProblem(queue, { atATime: AT_A_TIME, signal }, async (canary) => {
    const how = urgent() ? undefined : "background";
    if (canary === "twins") return (await judgeWithCopies(options, { signal, how })).problem;
    const wrong = await judgeCanary({ ...options, signal, how }, canary);
    judged.canaries += 1;
    return wrong === undefined ? undefined : `a canary was judged wrong: ${wrong}`;
  });
  await options.hides.sweep();
  return problem;
}

/** Limits of a changing canary: total time in milliseconds, and number of changes. */
const CHANGING_MS = 250;
const BETWEEN_MS = 4;

interface Judge {
  readonly program: FrozenProgram;
  /** True if the program only needs to return exit codes: counts are not checked then, and 1 is as good as 2. */
  readonly plain: boolean;
  readonly hides: DecoyFolders;
  readonly signal: AbortSignal;
  /** Set if the judgement yields to other work. */
  readonly how: "background" | undefined;
}

/**
 * Has a canary judged, once per scene. Returns the fault of a judgement, or undefined if all were right. Throws a MachineFault if
 * the oracle could not be run.
 */
async function judgeCanary(judge: Judge, canary: Canary): Promise<string | undefined> {
  const place = await judge.hides.make(canary.kind);
  try {
    for (const scene of canary.scenes) {
      const judging = await judgeWithRetry(() => judgeOnce(judge, canary, place, scene), judge.signal);
      const wrong = isRight(scene.expected, judging, judge.plain) ? undefined : describeWrong(scene.expected, judging);
      if (wrong !== undefined) return `${canary.name} (${canary.kind}, ${canary.batch.length} tickets): ${wrong}`;
    }
    return undefined;
  } finally {
    await judge.hides.remove(place);
  }
}

async function judgeOnce(
  { program, signal, how }: Judge,
  canary: Canary,
  place: TrackerLocation,
  scene: Scene,
): Promise<Judging> {
  await layOut(canary, place, scene);
  const tracker = "keys" in place ? withKeys(place, canary.batch) : place;
  const judging = program.judge({ version: 1, tracker, tickets: canary.batch }, signal, how);
  if (canary.damage === "changing") await changeUntil(place, scene, canary.age, judging);
  return judging;
}

async function layOut({ damage, age }: Canary, place: TrackerLocation, { tickets }: Scene): Promise<void> {
  if (damage === "gone") return;
  if (damage === "half") return writeHalf(place, tickets, age);
  if (damage === "huge") return writeHuge(place, tickets, age);
  return writeTracker(place, tickets, age);
}

/** Rewrites the tracker again and again until it was judged, or for a while; then leaves it in its final form. */
async function changeUntil(place: TrackerLocation, scene: Scene, age: Age, judging: Promise<unknown>): Promise<void> {
  let over = false;
  void judging.then(() => {
    over = true;
  });
  const until = performance.now() + CHANGING_MS;
  while (!over && performance.now() < until) await writeTorn(place, scene.tickets.slice(0, 20), () => pause(BETWEEN_MS));
  if (!over) await writeTracker(place, scene.tickets, age);
}

function isRight(expected: Expected, { judgement, exitCode }: Judging, plain: boolean): boolean {
  switch (expected.verdict) {
    case "unjudged":
      return exitCode === 2 ? judgement.verdict === "unjudged" : plain && exitCode === 1;
    case "not-done-or-unjudged":
      return (judgement.verdict === "not-done" && exitCode === 1) || (judgement.verdict === "unjudged" && exitCode === 2);
    default: {
      if (judgement.verdict !== expected.verdict || exitCode !== (expected.verdict === "done" ? 0 : 1)) return false;
      // A judgement names only the first of many open tickets.
      const named = expected.open.slice(0, Math.max(1, judgement.open.length));
      return plain || JSON.stringify([judgement.counts, judgement.open]) === JSON.stringify([expected.counts, named]);
    }
  }
}

function describeWrong(expected: Expected, { judgement, exitCode }: Judging): string {
  const said = `${judgement.verdict} with exit code ${exitCode ?? "none"}`;
  const why = judgement.problem === undefined ? "" : ` (${judgement.problem.slice(0, 200)})`;
  if (expected.verdict === judgement.verdict && "counts" in expected) {
    return `judged ${said}, but with other counts or other open tickets than it has`;
  }
  return `judged ${said}${why}, which is ${expected.verdict === "not-done-or-unjudged" ? "not done" : expected.verdict}`;
}
