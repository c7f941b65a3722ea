import type { TrackerChange } from "../../domain/run/drift-fact.ts";
import type { TicketNow } from "../../domain/run/reconcile-tracker.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import { plainText } from "../../domain/values/text.ts";

/** Limits of a text that a person wrote, as in a batch. Characters. */
const TITLE_CHARS = 200;
const BODY_CHARS = 64_000;

/** What a person made of a ticket's text. The state must have it as it was before. */
export function rewritten(state: RunState, now: TicketNow, body: string): TrackerChange {
  const { attempt, pendingWork, tracked } = ticketById(state, now.id);
  const isTooLate = attempt === undefined && pendingWork !== undefined && pendingWork.landed === undefined;
  const text = { title: plainText(now.title, TITLE_CHARS), body: body.slice(0, BODY_CHARS).toWellFormed() };
  const from = plannedTicket(state.plan, now.id).title;
  const isRetitled = tracked?.words?.titleSha !== now.titleSha && from !== text.title;
  const isBodySame = tracked?.words?.bodySha === now.bodySha;
  const retitled = { from, isBodySame: isBodySame || undefined };
  return { kind: "rewritten", ...text, isTooLate: isTooLate || undefined, retitled: isRetitled ? retitled : undefined };
}

/** A ticket that is gone, or that cannot be read for this reason. */
export function vanished(unreadable: string | undefined): TrackerChange {
  if (unreadable === undefined) return { kind: "vanished", why: "there is no such ticket" };
  return { kind: "vanished", why: plainText(unreadable, 300), unreadable: true };
}
