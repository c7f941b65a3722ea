import { withOrigin } from "../../domain/batch/origin.ts";
import { whatIsLeft } from "../../domain/results/what-is-left.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import { canHealHelp, isHealable } from "../../domain/schedule/heal.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { RepoId } from "../../domain/values/ids.ts";
import { fillTemplate, PROMPT_CHARS } from "../../domain/values/template.ts";
import { plainLines, plainText, plural } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import type { LoopContext } from "../attempt/context.ts";
import { HINTS_CHARS, WORKER_VARIABLES } from "../attempt/prompt.ts";
import { block } from "../questions/question-prompt.ts";

/** Characters of the parts of a healer's prompt. */
const STOP_CHARS = 56_000;
const REASON_CHARS = 2_000;
const SUMMARY_CHARS = 300;
const DETAIL_CHARS = 1_500;
/** Limits of scripts, as the reader of a harness has them. */
const MOST_TOOLS = 8;
const TOOL_KIB = 16;
/** Bounds: tickets in the prompt, attempts of each, and the end of the last attempt's log. */
const MOST_TICKETS = 6;
const LOG_BYTES = 8_000;
const LOG_CHARS = 2_500;
const LOG_LINES = 60;

/** The prompt of a healer; `stop` is data, see `describeStop`. */
export function renderHealerPrompt(
  template: string,
  {
    n,
    heals,
    folder,
    nonce,
    stop,
  }: { readonly n: number; readonly heals: number; readonly folder: string; readonly nonce: string; readonly stop: string },
): string {
  return fillTemplate(template, {
    n: String(n),
    heals: String(heals),
    folder,
    nonce,
    variables: WORKER_VARIABLES.join(", "),
    promptChars: String(PROMPT_CHARS),
    hintsChars: String(HINTS_CHARS),
    tools: String(MOST_TOOLS),
    toolKib: String(TOOL_KIB),
    stop: stop.slice(0, STOP_CHARS),
  });
}

/**
 * The stop, for a healer: what is left, and for the tickets that it may help the evidence of their attempts and the end of the
 * last agent's log. Tickets that a heal would reopen come first. Each piece stands between lines with the nonce, which was
 * unknown when the piece was written. Only tickets of the repository are in it: what agents of another one printed must not reach
 * the prompts of this one.
 */
export async function describeStop(
  ctx: Pick<LoopContext, "files" | "state">,
  { repo, nonce }: { readonly repo: RepoId; readonly nonce: string },
): Promise<string> {
  const state = ctx.state();
  const reason = whatIsLeft(state, repo);
  const own = [...vecItems(state.tickets)].filter((_, index) => state.plan.tickets[index]?.repo === repo);
  const healable = own.filter(canHealHelp);
  const failed = healable.toSorted((a, b) => Number(isHealable(b)) - Number(isHealable(a)));
  const parts = [block(nonce, "reason", plainText(reason, REASON_CHARS))];
  for (const ticket of failed.slice(0, MOST_TICKETS)) {
    const spec = plannedTicket(state.plan, ticket.id);
    const text = `${plainText(spec.title, SUMMARY_CHARS)}\n\n${await describeAttempts(ctx, ticket)}`;
    parts.push(withOrigin(spec, block(nonce, ticket.id, text)));
  }
  if (failed.length > MOST_TICKETS) parts.push(`${failed.length - MOST_TICKETS} more tickets have failed.`);
  return parts.join("\n\n");
}

async function describeAttempts({ files }: Pick<LoopContext, "files">, { id, evidence, history }: TicketState): Promise<string> {
  const last = history.findLast(({ outcome }) => outcome !== "stopped" && outcome !== "lost");
  const tried = `${plural(history.length, "attempt")}; those that left evidence, oldest first:`;
  if (last === undefined) return tried;
  const log = await files.tail((await files.attempt(id, last.n)).agentLog, LOG_BYTES);
  const lines = plainLines(log, { maxLines: Number.POSITIVE_INFINITY, maxLength: 300 }).slice(-LOG_LINES);
  return [tried, ...evidence.map(inWords), `The end of the log of attempt ${last.n}:`, lines.join("\n").slice(-LOG_CHARS)].join(
    "\n",
  );
}

function inWords({ step, name, summary, detail }: Evidence): string {
  const lines = plainLines(detail, { maxLines: 200 }).join("\n").slice(-DETAIL_CHARS);
  return `${step} "${plainText(name, 80)}" failed: ${plainText(summary, SUMMARY_CHARS)}\n${lines}`;
}
