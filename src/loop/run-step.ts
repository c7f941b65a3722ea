import { type StepSpec, stepName } from "../domain/batch/step-spec.ts";
import { AttemptOver, abortedEnd, type OpenAttempt, type Rest, type StepResult } from "./attempt-scope.ts";
import type { LoopContext } from "./context.ts";

/** A step with its place in the ticket's finish line. */
export interface Placed {
  readonly index: number;
  readonly spec: StepSpec;
}

/** Whether a step runs a command, which may need a whole machine: it waits for its turn. */
export function runsCommand({ spec }: Placed): boolean {
  return spec.step === "check" || spec.step === "verify";
}

/** The scope of one of its steps. Without `rest` it gives up nothing while it waits. */
export function atStep(scope: OpenAttempt, { index, spec }: Placed, rest: Rest = (idle) => idle()): OpenAttempt {
  return { ...scope, turn: { step: index, name: stepName(spec), rest } };
}

/** Runs a step that is not the merge. */
export async function runJudge(
  ctx: LoopContext,
  scope: OpenAttempt,
  placed: Placed,
  run: (scope: OpenAttempt) => Promise<StepResult>,
): Promise<void> {
  const step = (rest?: Rest) => runStep(ctx, scope, placed, () => run(atStep(scope, placed, rest)));
  if (!runsCommand(placed)) return void (await step());
  await ctx.judges.run(step, scope.signal).catch(overIfAborted(scope));
}

/** Cancelling a queued step has the same outcome as cancelling a running one. */
export function overIfAborted(scope: OpenAttempt): (error: unknown) => never {
  return (error) => {
    throw error === scope.signal.reason ? new AttemptOver(abortedEnd(scope)) : error;
  };
}

/** Runs one step between its two facts. A failed step ends the attempt with its evidence. */
export async function runStep<R extends StepResult & { landed?: string }>(
  ctx: LoopContext,
  scope: OpenAttempt,
  { index, spec }: Placed,
  run: () => Promise<R>,
): Promise<string> {
  if (scope.signal.aborted) throw new AttemptOver(abortedEnd(scope));
  const of = { ticket: scope.ticket.id, fence: scope.fence, step: index };
  if (!ctx.report({ type: "step-started", ...of, kind: spec.step, name: stepName(spec) }))
    throw new AttemptOver({ outcome: "stopped" });
  const result = await run();
  const summary = result.ok ? result.summary : result.evidence.summary;
  const judged = result.ok && result.judged !== undefined ? { judged: result.judged } : {};
  const strength = result.ok && result.strength !== undefined ? { strength: result.strength } : {};
  ctx.report({ type: "step-ended", ...of, ok: result.ok, summary, ...judged, ...strength });
  // A cancelled step is no evidence against the work.
  if (!result.ok) throw scope.signal.aborted ? new AttemptOver(abortedEnd(scope)) : failed(result);
  return result.landed ?? "";
}

/** The end of an attempt whose step failed. */
export function failed(result: StepResult): AttemptOver {
  return new AttemptOver(result.ok ? { outcome: "failed" } : { outcome: "failed", evidence: result.evidence });
}
