import { isHarder } from "../../domain/complexity/classes.ts";
import { complexityOfChange } from "../../domain/complexity/of-change.ts";
import { ticketOf } from "../../domain/run/state.ts";
import type { Change } from "../../ports/vcs.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";

/** Moves a ticket up to the class of its captured change, before its finish line begins: the class decides what that asks for. */
export function reportComplexity(
  ctx: Pick<LoopContext, "batch" | "state" | "report">,
  { ticket, fence }: Pick<OpenAttempt, "ticket" | "fence">,
  change: Change,
): void {
  const { complexity: before } = ticketOf(ctx.state(), ticket.id);
  if (before === undefined) return;
  const { bounds = {} } = ctx.batch;
  const zones = Object.hasOwn(bounds, ticket.repo) ? (bounds[ticket.repo]?.zones ?? []) : [];
  const { class: to, why } = complexityOfChange(change, zones);
  if (!isHarder(to, before.class)) return;
  ctx.report({ type: "complexity-changed", ticket: ticket.id, fence, from: before.class, to, why });
}
