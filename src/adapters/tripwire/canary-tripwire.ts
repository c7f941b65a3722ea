import { setTimeout as pause } from "node:timers/promises";
import type { FrozenSet } from "../../domain/run/frozen-set.ts";
import { changedPart } from "../../domain/run/frozen-set.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { FrozenProgram, OracleBatch } from "../../ports/oracle.ts";
import type { Tripwire, TripwireResult } from "../../ports/tripwire.ts";
import { systemCode } from "../disk-error.ts";
import type { Canary } from "./canary.ts";
import { judgeWithCopies } from "./copy-comparison.ts";
import type { DecoyFolders } from "./decoy-folders.ts";
import { firstProblemOf } from "./in-turns.ts";
import { judgeCanary } from "./judge-canary.ts";
import type { Likeness } from "./likeness.ts";
import { allCanaries } from "./scenarios.ts";

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
  /** True if the program only needs to return exit codes. */
  readonly plain: boolean;
  /** False for a program that ignores the tracker it is given: it cannot be tried then, and only the hashes count. */
  readonly canaries: boolean;
  readonly recorded: FrozenSet | undefined;
  readonly frozen: () => FrozenSet;
}

/** Proves the oracle by canaries. Each proof makes new random ones. */
export function createCanaryTripwire(options: CanaryTripwireOptions): Tripwire {
  return {
    async check(signal, urgent = () => false) {
      const startedAt = performance.now();
      const judged = { canaries: 0 };
      const problem = await withRoom(() => firstProblem(options, { signal, urgent }, judged), signal).catch((cause: unknown) => {
        return `the canaries could not be judged: ${errorMessage(cause)}`;
      });
      if (signal.aborted) return undefined;
      const numbers = { canaries: judged.canaries, ms: Math.round(performance.now() - startedAt) };
      return problem === undefined ? { ok: true, ...numbers } : fired(problem, numbers);
    },
  };
}

/**
 * Waits before a proof that a full disk interrupted is repeated, in milliseconds: a worker that filled the disk may be ending
 * right now.
 */
const TRIES = 6;
const ROOM_MS = 2_000;

/** Only a proof that could not be judged is repeated, from its beginning; a wrongly judged canary stays wrong. */
async function withRoom<T>(prove: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await prove();
    } catch (error) {
      if (systemCode(error) !== "ENOSPC" || tries === TRIES || signal.aborted) throw error;
      await pause(ROOM_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

function fired(problem: string, numbers: { canaries: number; ms: number }): TripwireResult {
  return { ok: false, problem: problem.slice(0, 1_000), ...numbers };
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
  const queue: readonly (Canary | "twins")[] = [
    ...allCanaries(options.batch().tracker.kind, options.like(), options.plain),
    "twins",
  ];
  const problem = await firstProblemOf(queue, { atATime: AT_A_TIME, signal }, async (canary) => {
    const how = urgent() ? undefined : "background";
    if (canary === "twins") return (await judgeWithCopies(options, { signal, how })).problem;
    const wrong = await judgeCanary({ ...options, signal, how }, canary);
    judged.canaries += 1;
    return wrong === undefined ? undefined : `a canary was judged wrong: ${wrong}`;
  });
  await options.hides.sweep();
  return problem;
}
