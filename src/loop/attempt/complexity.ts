import { type ComplexityRuling, isHarder } from "../../domain/complexity/classes.ts";
import { hiddenLines } from "../../domain/complexity/hidden-lines.ts";
import { complexityOfChange } from "../../domain/complexity/of-change.ts";
import { ticketOf } from "../../domain/run/state.ts";
import type { Change } from "../../ports/vcs.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";
import { repoOf } from "./context.ts";

/** The class of a captured change; undefined if the batch asks for none, or if nothing is changed. Reads its lines if they can change its class. */
export async function complexityRuling(
  ctx: LoopContext,
  { ticket }: Pick<OpenAttempt, "ticket">,
  { from, change }: { readonly from: string; readonly change: Change },
): Promise<ComplexityRuling | undefined> {
  if (ticketOf(ctx.state(), ticket.id).complexity === undefined) return undefined;
  const { bounds = {} } = ctx.batch;
  const zones = Object.hasOwn(bounds, ticket.repo) ? (bounds[ticket.repo]?.zones ?? []) : [];
  const byCount = complexityOfChange(change, zones);
  if (byCount.class === "architectural" || change.paths.length === 0) return byCount;
  const except = uncountedFiles(change);
  const { diff, whole } = await repoOf(ctx, ticket).changedLines({ from, tip: change.tip, names: ["*"], except });
  return complexityOfChange({ ...change, hiddenLines: whole ? hiddenLines(diff) : "unknown" }, zones);
}

/** The paths without lines to count. Git would leave out what is below them, too, if a folder takes the place of a file. */
function uncountedFiles({ paths, uncounted = [] }: Change): readonly string[] {
  return uncounted.filter((file) => !paths.some(({ path }) => path.startsWith(`${file}/`)));
}

/** Moves a ticket up to the class of its change, before its finish line begins: the class decides what that asks for. */
export function reportComplexity(
  ctx: Pick<LoopContext, "state" | "report">,
  { ticket, fence }: Pick<OpenAttempt, "ticket" | "fence">,
  { class: to, why }: ComplexityRuling,
): void {
  const { complexity: before } = ticketOf(ctx.state(), ticket.id);
  if (before === undefined || !isHarder(to, before.class)) return;
  ctx.report({ type: "complexity-changed", ticket: ticket.id, fence, from: before.class, to, why });
}
