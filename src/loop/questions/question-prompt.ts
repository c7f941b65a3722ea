import { withOrigin } from "../../domain/batch/origin.ts";
import type { Severity } from "../../domain/batch/party.ts";
import type { Ticket } from "../../domain/batch/schema.ts";
import { BOUND_CHARS } from "../../domain/bound/bound-text.ts";
import { mayBeNoText } from "../../domain/complexity/path-kinds.ts";
import { answerMarks } from "../../domain/review/answer.ts";
import { fillTemplate } from "../../domain/values/template.ts";
import { boundedHead, boundedList, plainText } from "../../domain/values/text.ts";
import { visibleText } from "../../domain/values/visible-text.ts";
import type { ChangedPath } from "../../ports/vcs.ts";

/** Characters of a whole question, and of its parts. A longer part is cut with a mark, so that every part fits. */
export const QUESTION_CHARS = 120_000;
export const DIFF_CHARS = 80_000;
const BODY_CHARS = 16_000;
const PATHS_CHARS = 12_000;
const MOST_PATHS = 200;
/** Of a contract: its text and 50 rules, at most. */
const QUESTION_CONTRACT_CHARS = 40_000;
const RULE_CHARS = 500;

/** Those of these files that a reviewer can approve: it sees their lines, and their names are not cut from the list. */
export function approvable(judges: readonly string[]): readonly string[] {
  const isListed = judges.length < MOST_PATHS / 2 && visibleText(JSON.stringify(judges)).length < PATHS_CHARS / 3;
  return isListed ? judges.filter((path) => !mayBeNoText(path)) : [];
}

/** The parts of a question about a change. */
export interface AboutChange {
  readonly ticket: Ticket;
  readonly base: string;
  readonly commit: string;
  readonly paths: readonly ChangedPath[];
  /** At most about DIFF_CHARS. */
  readonly diff: string;
  readonly blocking: Severity;
  /** Files of the change without which tests of the base come out differently, or that define a check. */
  readonly judges?: readonly string[];
  /** The rules of the repository, as `boundForReviewer` says them. */
  readonly bound?: string;
}

/**
 * A question about a change, with everything from outside as data: between lines with the nonce. The nonce was made after the
 * change and cannot occur in it, so no text can close its block (adversary case B17).
 */
export function renderQuestion(
  template: string,
  aboutChange: AboutChange,
  by: { readonly nonce: string; readonly checkout: string },
): string {
  const { ticket, paths, judges = [] } = aboutChange;
  const { nonce, checkout } = by;
  const isJudge = ({ path }: ChangedPath) => judges.includes(path);
  // What is to be approved stands where the list is not cut.
  const touched = [...paths.filter(isJudge), ...paths.filter((each) => !isJudge(each))].map((each) => {
    const marks = [...(each.mode === "file" ? [] : [each.mode]), ...(isJudge(each) ? ["judges this change"] : [])];
    return `${each.how} ${visibleText(JSON.stringify(each.path))}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}`;
  });
  const values = {
    ...answerMarks(nonce),
    nonce,
    checkout,
    base: aboutChange.base,
    commit: aboutChange.commit,
    blocking: aboutChange.blocking,
    ticket: block(nonce, "ticket", `${ticketInWords(ticket)}${aboutChange.bound ?? ""}`),
    paths: block(nonce, "paths", boundedHead(boundedList(touched, MOST_PATHS), PATHS_CHARS)),
    diff: block(nonce, "diff", aboutChange.diff),
  };
  const more = (aboutChange.bound ? BOUND_CHARS : 0) + (ticket.contract === undefined ? 0 : QUESTION_CONTRACT_CHARS);
  return withOrigin(ticket, fillTemplate(template, values, QUESTION_CHARS + more));
}

/** The ticket as it was written, with its contract. Bounded. */
export function ticketInWords(ticket: Ticket): string {
  const body = ticket.body.trim() === "" ? "(no description)" : boundedHead(visibleText(ticket.body), BODY_CHARS);
  return `${ticket.id}: ${visibleText(ticket.title)}\n\n${body}${contractText(ticket)}`;
}

/** Gives the ticket's contract without its criteria, which the engine has checked; empty if it has none. */
function contractText({ contract }: Ticket): string {
  if (contract === undefined) return "";
  const rules = (contract.safety?.rules ?? []).map((rule) => `- ${plainText(rule, RULE_CHARS)}`);
  const parts = [contract.body, ...(rules.length === 0 ? [] : [`Rules for the change:\n${rules.join("\n")}`])];
  return boundedHead(
    `\n\nThe contract of the ticket:\n${visibleText(parts.filter((part) => part !== "").join("\n\n"))}`,
    QUESTION_CONTRACT_CHARS,
  );
}

/** Data between lines that nobody else can write. */
export function block(nonce: string, name: string, text: string): string {
  return `DATA BEGIN ${name} ${nonce}\n${text}\nDATA END ${name} ${nonce}`;
}
