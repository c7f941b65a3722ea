import { type FailureKind, matchTransient, type TransientKind } from "../../domain/schedule/transient.ts";
import type { ExecResult } from "../../ports/executor.ts";
import { pause } from "../concurrency/wait.ts";
import { AttemptOver, abortedEnd, type ProgramContext, type StepScope } from "./scope.ts";

/** A command that failed by itself. `output` is raw; transients are matched against it. */
export interface CommandFailure {
  readonly kind: FailureKind;
  readonly output: string;
}

/** The failure of a command; undefined if it did not fail, or if it had to be killed: a hang is no transient. */
export function commandFailure(kind: TransientKind, result: ExecResult): CommandFailure | undefined {
  if (result.ending === "failed-to-start") return { kind: "start", output: result.message ?? "" };
  if (result.ending !== "exited" || result.signal !== null || result.exitCode === 0) return undefined;
  return { kind, output: result.tail };
}

/**
 * Runs something, and once more if it failed by a transient: a named class of failure (S5.10). Each step of an attempt has one
 * such retry, however often it runs; the second result is final. `stillTrue` reads the source of truth again before the retry; if
 * it no longer holds, the first result stands. The retry is journalled before the wait.
 */
export async function retryTransient<T>(
  ctx: ProgramContext,
  scope: StepScope,
  options: {
    readonly run: () => Promise<T>;
    readonly failure: (result: T) => CommandFailure | undefined;
    readonly stillTrue?: () => Promise<boolean>;
  },
): Promise<T> {
  const first = await options.run();
  const { turn } = scope;
  const failure = options.failure(first);
  if (failure === undefined || turn === undefined || scope.retried.has(turn.step)) return first;
  const classes = [...(ctx.batch.transients ?? []), ...(await ctx.harness.transients(scope.ticket.repo))];
  const transient = matchTransient(classes, failure.kind, failure.output);
  if (transient === undefined || !((await options.stillTrue?.()) ?? true)) return first;
  const waitMs = transient.waitSeconds * 1000;
  const { step, name } = turn;
  // What runs beside it may have used the retry meanwhile.
  if (scope.retried.has(turn.step)) return first;
  if (!scope.announce({ type: "step-retried", step, name, transient: transient.name, waitMs }))
    throw new AttemptOver({ outcome: "stopped" });
  scope.retried.add(step);
  await retryDelayFor(ctx, scope, waitMs);
  return options.run();
}

/** Waits, while others use the machine. Throws AttemptOver at once if the attempt is cancelled. */
export async function retryDelayFor(ctx: ProgramContext, scope: StepScope, ms: number): Promise<void> {
  const idle = () => pause(ctx.clock, ms, scope.signal);
  try {
    await (scope.turn === undefined ? idle() : scope.turn.rest(idle));
  } catch (error) {
    if (!scope.signal.aborted) throw error;
  }
  if (scope.signal.aborted) throw new AttemptOver(abortedEnd(scope));
}
