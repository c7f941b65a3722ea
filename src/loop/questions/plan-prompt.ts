import { withOrigin } from "../../domain/batch/origin.ts";
import type { Severity } from "../../domain/batch/party.ts";
import type { Ticket } from "../../domain/batch/schema.ts";
import { answerMarks } from "../../domain/review/answer.ts";
import { fillTemplate } from "../../domain/values/template.ts";
import { block, QUESTION_CHARS, ticketInWords } from "./question-prompt.ts";

/** The parts of a question about a plan. */
interface AboutPlan {
  readonly ticket: Ticket;
  /** Bounded, and safe for a terminal (see `planText`). */
  readonly plan: string;
  /** The base that the reviewer may read. */
  readonly commit: string;
  readonly blocking: Severity;
  readonly nonce: string;
  readonly checkout: string;
}

/** A question about a plan, with everything from outside as data between lines that nobody else can write. */
export function renderPlanQuestion(template: string, { ticket, plan, nonce, ...about }: AboutPlan): string {
  const values = {
    ...answerMarks(nonce),
    ...about,
    nonce,
    ticket: block(nonce, "ticket", ticketInWords(ticket)),
    plan: block(nonce, "plan", plan),
  };
  return withOrigin(ticket, fillTemplate(template, values, QUESTION_CHARS));
}
