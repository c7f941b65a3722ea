import { runsCommand, type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import { ticketById } from "../../domain/run/state.ts";
import type { Rest } from "../concurrency/semaphore.ts";
import { AttemptOver, abortedEnd, overIfAborted, type StepFact } from "../programs/scope.ts";
import type { StepFailed, StepResult } from "../steps/step.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";

/** A step with its index in the ticket's finish line. */
export interface Placed {
  readonly index: number;
  readonly spec: StepSpec;
}

/** The scope of one step of the attempt. Without `rest` the step gives up nothing while it waits. */
export function atStep(scope: OpenAttempt, { index, spec }: Placed, rest: Rest = (idle) => idle()): OpenAttempt {
  return { ...scope, turn: { step: index, name: stepName(spec), rest } };
}

/** Runs a step that is not the merge, once a permit is free if it runs a command. */
export async function runInTurn(
  ctx: LoopContext,
  scope: OpenAttempt,
  placed: Placed,
  run: (scope: OpenAttempt) => Promise<StepResult>,
): Promise<void> {
  const step = (rest?: Rest) => runStep(ctx, scope, placed, () => run(atStep(scope, placed, rest)));
  if (!runsCommand(placed.spec)) return void (await step());
  await ctx.commandPermits.run(step, scope.signal).catch(overIfAborted(scope));
}

/** Runs one step between its two events, and reports its facts. A failed step ends the attempt with its evidence. */
export async function runStep<R extends StepResult>(
  ctx: LoopContext,
  scope: OpenAttempt,
  { index, spec }: Placed,
  run: () => Promise<R>,
): Promise<Extract<R, { ok: true }>> {
  if (scope.signal.aborted) throw new AttemptOver(abortedEnd(scope));
  const at = { ticket: scope.ticket.id, fence: scope.fence, step: index };
  if (!ctx.report({ type: "step-started", ...at, kind: spec.step, name: stepName(spec) }))
    throw new AttemptOver({ outcome: "stopped" });
  const result = await run();
  for (const fact of result.facts ?? []) if (isNews(ctx, scope, fact)) scope.announce(fact);
  ctx.report({ type: "step-ended", ...at, ...stepEnd(result) });
  if (result.ok) return result as Extract<R, { ok: true }>;
  // A cancelled step is not evidence against the work.
  throw scope.signal.aborted ? new AttemptOver(abortedEnd(scope)) : failed(result, spec);
}

function stepEnd(result: StepResult) {
  if (!result.ok) return { ok: false, summary: result.evidence.summary };
  const { summary, commit, strength, tests, notNeeded } = result;
  return { ok: true, summary, judged: commit, strength, tests, notNeeded };
}

/** The failing tests of the base are reported once, as long as they are the same. */
function isNews({ state }: LoopContext, { ticket }: OpenAttempt, fact: StepFact): boolean {
  if (fact.type !== "base-failing") return true;
  const known = ticketById(state(), ticket.id).failingOnBase?.find(({ check }) => check === fact.check);
  return (known?.count ?? 0) !== fact.count || !fact.tests.every((test, i) => known?.tests[i] === test);
}

/** The end of an attempt after a failed step. A `verify` fails after the landing, so it is repeated without an agent. */
export function failed({ evidence }: StepFailed, spec?: StepSpec): AttemptOver {
  return new AttemptOver({ outcome: spec?.step === "verify" ? "landed" : "failed", evidence });
}
