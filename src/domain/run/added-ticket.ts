import { dirname } from "node:path/posix";
import type { z } from "zod";
import { checkTicketSpec, ONE_ON_A_BRANCH, takesOneTicket } from "../batch/check.ts";
import { checkReviewSteps } from "../batch/check-reviewer.ts";
import { withoutCriteria } from "../batch/contract-steps.ts";
import { defaultFinishLine } from "../batch/default-finish.ts";
import { checkValue } from "../batch/issues.ts";
import { type NoteProblem, pathText } from "../batch/problem.ts";
import { wholeFinishLine } from "../batch/resolve.ts";
import { type Batch, type Ticket, TicketSpec } from "../batch/schema.ts";
import { nodeValue, readSyntax } from "../batch/syntax.ts";
import { lineWithLaws } from "../bound/law-steps.ts";
import { lineWithReviews } from "../complexity/review-steps.ts";
import { TicketId } from "../values/ids.ts";
import type { RunFact } from "./event.ts";
import type { RunState } from "./state.ts";

/** A ticket that a person adds to a run: as in a batch file, but without an id it gets the next free one. */
export const AddedTicket = TicketSpec.partial({ id: true }).required({ title: true });
export type AddedTicket = z.infer<typeof AddedTicket>;

/** Tickets that people may add to one run. */
export const MOST_ADDED = 100;

/** The ticket as the run takes it, or the reason why the run refuses it, in one sentence. */
export type AddedAdmission = { readonly ok: true; readonly ticket: Ticket; readonly facts: readonly RunFact[] } | Refused;

interface Refused {
  readonly ok: false;
  readonly why: string;
}

/** The value in the text of a ticket file, which is JSON with comments. */
export function readTicketText(text: string): { readonly ok: true; readonly value: unknown } | Refused {
  const read = readSyntax(text.replace(/^\ufeff/, ""));
  if (read.ok) return { ok: true, value: nodeValue(read.root) };
  const [problem] = read.problems;
  return refused(`line ${problem?.line ?? 1}: ${problem?.message ?? "it cannot be read"}`);
}

/**
 * Rules on a ticket that a person adds, as written; `request` is the sender's name for the command. It may depend on any ticket of the run; no other waits for it, so it makes no
 * cycle. It does not count against the discoveries of workers. The first problem decides; a wrong key
 * goes before the key that is missing because of it.
 */
export function admitAdded(state: RunState, value: unknown, request?: string): AddedAdmission {
  const checked = checkValue(AddedTicket, value);
  if (checked.ok) return admitSpec(state, checked.value, request);
  const first = checked.findings.find(({ key }) => key !== undefined) ?? checked.findings[0];
  return refused(sentence(first?.path ?? [], first?.message ?? "it has no valid form", first?.hint));
}

function admitSpec(state: RunState, spec: AddedTicket, request: string | undefined): AddedAdmission {
  const { batch, plan } = state;
  if (plan.tickets.filter(({ added }) => added).length >= MOST_ADDED)
    return refused(`the run takes no more: at most ${MOST_ADDED} added tickets`);
  if (spec.contract !== undefined) return refused(NO_CONTRACT);
  const id = spec.id ?? freeId(plan.tickets.map((ticket) => ticket.id));
  const same = plan.tickets.find((ticket) => ticket.id.toLowerCase() === id.toLowerCase());
  if (same !== undefined) return refused(`the run has a ticket ${same.id} already`);
  const [only, another] = Object.keys(batch.repos);
  const repo = spec.repo ?? (another === undefined ? only : undefined);
  const problem = firstProblem(batch, { ...spec, id, ...(repo === undefined ? {} : { repo: repo as Ticket["repo"] }) });
  if (problem !== undefined) return refused(problem);
  if (repo !== undefined && takesOneTicket(batch, repo) && plan.tickets.some((ticket) => ticket.repo === repo))
    return refused(ONE_ON_A_BRANCH);
  const missing = spec.dependsOn.find((dep) => !Object.hasOwn(plan.index, dep));
  if (missing !== undefined) return refused(`dependsOn: the run has no ticket ${missing}`);
  const ticket = ticketFrom(state, spec, { id, repo: repo as Ticket["repo"] });
  return { ok: true, ticket, facts: addedFacts([{ ticket, isWaiver: isWaiver(state, ticket) }], request) };
}

const NO_CONTRACT =
  "contract: a run reads contracts only when it starts; put the ticket into the batch file and start again with --accept-changes";

/** True for a ticket with a finish line other than the batch's, or that may do what others may not. */
export function isWaiver({ batch }: RunState, { allow, finish, repo }: Ticket): boolean {
  const line = defaultFinishLine(batch, repo);
  // A contract only adds to the batch's finish line.
  return allow !== undefined || JSON.stringify(withoutCriteria(finish, line)) !== JSON.stringify(line);
}

/** A ticket that joins the run. `isWaiver`: it has a finish line of its own, or may do what others may not. */
export interface Addition {
  readonly ticket: Ticket;
  readonly isWaiver: boolean;
}

/**
 * The facts by which tickets come to the run in one act of a person: one intervention that names all of them, and one for each
 * that waives a check. The target is the ticket, or the batch if there are several. Empty without tickets.
 */
export function addedFacts(additions: readonly Addition[], request?: string): readonly RunFact[] {
  const [first, another] = additions;
  if (first === undefined) return [];
  const ids = additions.map(({ ticket }) => ticket.id);
  const target = another === undefined ? first.ticket.id : "batch";
  return [
    { type: "intervention", class: "I2", target, note: `added ${ids.join(", ")}` },
    ...additions.flatMap(({ ticket, isWaiver }): RunFact[] => {
      const note = `added ${ticket.id} with rules of its own`;
      const waiver: RunFact = { type: "intervention", class: "I8", target: ticket.id, note };
      return [...(isWaiver ? [waiver] : []), { type: "ticket-added", added: ticket, request }];
    }),
  ];
}

function ticketFrom({ batch, batchPath }: RunState, spec: AddedTicket, { id, repo }: Pick<Ticket, "id" | "repo">): Ticket {
  const { title, body, finish, allow, fixes, redFirst, complexity } = spec;
  return {
    id,
    title,
    body,
    repo,
    dependsOn: [...new Set(spec.dependsOn)],
    exclusive: [...new Set(spec.exclusive)],
    finish:
      finish === undefined
        ? defaultFinishLine(batch, repo)
        : lineWithLaws(
            lineWithReviews(wholeFinishLine(finish, dirname(batchPath)), batch.complexity, batch.secondReviewer !== undefined),
            batch.bounds?.[repo],
          ),
    allow,
    fixes,
    redFirst: redFirst || undefined,
    complexity,
    added: true,
  };
}

/** The ticket of the run that is this one: the command was given twice. Without an id, none is. */
export function addedBefore({ plan }: RunState, value: unknown): Ticket | undefined {
  const checked = checkValue(AddedTicket, value);
  if (!checked.ok) return undefined;
  const { id, title, body } = checked.value;
  return plan.tickets.find((one) => one.added === true && one.id === id && one.title === title && one.body === body);
}

/** The first problem that the batch check would have with the ticket. */
function firstProblem(batch: Batch, ticket: TicketSpec): string | undefined {
  const problems: string[] = [];
  const report: NoteProblem = (path, message, hint) => problems.push(sentence(path, message, hint));
  checkTicketSpec(batch, ticket, report);
  checkReviewSteps(ticket.finish ?? [], ["finish"], { batch, report });
  return problems[0];
}

function sentence(path: readonly (string | number)[], message: string, hint: string | undefined): string {
  const where = pathText(path);
  const said = where === "" ? message : `${where}${/^(must|is|has) /.test(message) ? " " : ": "}${message}`;
  return hint === undefined ? said : `${said}; ${hint}`;
}

/** `added-1` and so on. Ids that differ only in case clash, because they name folders and branches. */
function freeId(taken: readonly string[]): TicketId {
  const used = new Set(taken.map((id) => id.toLowerCase()));
  for (let n = 1; ; n += 1) if (!used.has(`added-${n}`)) return TicketId.parse(`added-${n}`);
}

function refused(why: string): Refused {
  return { ok: false, why };
}
