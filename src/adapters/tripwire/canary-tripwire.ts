import { setTimeout as pause } from "node:timers/promises";
import type { FrozenSet } from "../../domain/run/frozen-set.ts";
import { changedPart } from "../../domain/run/frozen-set.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { FrozenProgram, OracleBatch, ReadListing } from "../../ports/oracle.ts";
import type { Tripwire } from "../../ports/tripwire.ts";
import type { Canary } from "./canary.ts";
import { judgeWithCopies } from "./copy-comparison.ts";
import type { DecoyFolders } from "./decoy-folders.ts";
import { firstProblemOf } from "./in-turns.ts";
import { judgeCanary } from "./judge-canary.ts";
import type { Likeness } from "./likeness.ts";
import { isMachineFault } from "./machine-fault.ts";
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
          ...(isMachineFault(cause) ? { unproven: true } : {}),
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
