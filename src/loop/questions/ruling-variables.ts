import type { Question } from "../../domain/run/attempt-fact.ts";
import { resolveVariables } from "../programs/run-in.ts";
import type { ProgramContext, StepScope } from "../programs/scope.ts";

/**
 * The batch's own variables for the reviewer's program: only for a ruling on a blocker. For a review or an attack, it is given a
 * candidate's code to try. Throws AttemptOver if the attempt ends while a secret is waited for.
 */
export async function rulingVariables(
  ctx: ProgramContext,
  scope: StepScope,
  question: Question,
): Promise<Readonly<Record<string, string>>> {
  const { reviewer } = ctx.batch;
  if (question !== "adjudicate" || reviewer?.kind !== "command") return {};
  return resolveVariables(ctx, scope, reviewer);
}
