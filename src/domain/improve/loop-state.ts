import { z } from "zod";
import { Finding } from "./finding.ts";

/**
 * The end of an iteration. `nothing`: the finder has no finding. `repeated`: the log had it. `no answer`: no finding could be read.
 * `not shown`: no check failed without a change. `dropped`: no attempt held. `held`: it landed with its check.
 */
const RESULTS = ["nothing", "repeated", "no answer", "not shown", "dropped", "held"] as const;
export type Result = (typeof RESULTS)[number];

const Iteration = z.object({
  n: z.number().int().min(1),
  /** Its start, in milliseconds since the epoch. */
  at: z.number(),
  /** The path of its regression case. */
  path: z.string(),
  /** The commit that it began on. */
  base: z.string(),
  /** The texts that people have told since the iteration before. */
  told: z.array(z.string()).readonly(),
  finding: Finding.optional(),
  usd: z.number(),
  result: z.enum(RESULTS).optional(),
  why: z.string().optional(),
  attempts: z.number().optional(),
  commit: z.string().optional(),
});
export type Iteration = z.infer<typeof Iteration>;

/** The record of a loop. The engine alone writes it. */
export const LoopState = z.object({
  /** sha256 of the goal file that the loop works by. */
  goalSha: z.string(),
  /** The first iteration since the loop was last started after an end: empty ones before it do not count. */
  from: z.number(),
  hasEnded: z.boolean(),
  iterations: z.array(Iteration).readonly(),
});
export type LoopState = z.infer<typeof LoopState>;

/** The iteration that was begun and has not ended. */
export function openIteration({ iterations }: LoopState): Iteration | undefined {
  const last = iterations.at(-1);
  return last?.result === undefined ? last : undefined;
}

/** The state with this iteration, in the place of its former record if there is one. */
export function withIteration(state: LoopState, iteration: Iteration): LoopState {
  return { ...state, iterations: [...state.iterations.filter(({ n }) => n !== iteration.n), iteration] };
}

/** The results at the end of the log that brought nothing, newest last. */
export function emptyTail({ from, iterations }: Pick<LoopState, "from" | "iterations">): readonly Result[] {
  const results = iterations.flatMap(({ n, result }) => (n < from ? [] : (result ?? [])));
  return results.slice(results.findLastIndex((result) => result === "held" || result === "dropped") + 1);
}

/** The numbers of a loop. */
export function loopCounts({ iterations }: LoopState) {
  const ended = iterations.filter(({ result }) => result !== undefined);
  const found = ended.flatMap(({ finding, result }) =>
    finding === undefined || result === "repeated" || result === "no answer" ? [] : finding.severity,
  );
  const held = ended.filter(({ result }) => result === "held").length;
  const usd = iterations.reduce((sum, each) => sum + each.usd, 0);
  return {
    iterations: ended.length,
    findings: { P0: countIn(found, "P0"), P1: countIn(found, "P1"), P2: countIn(found, "P2") },
    held,
    usd,
    usdPerHeld: held === 0 ? undefined : usd / held,
    interventions: iterations.reduce((sum, { told }) => sum + told.length, 0),
  };
}

function countIn(all: readonly string[], wanted: string): number {
  return all.filter((each) => each === wanted).length;
}
