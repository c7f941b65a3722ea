import type { LinearSpec } from "../../../../domain/batch/tracker-spec.ts";
import { isSameState, type TrackerState } from "../../../../domain/run/drift-fact.ts";
import type { TicketId } from "../../../../domain/values/ids.ts";
import { GATE_LABEL } from "../../service/labels.ts";
import type { ServiceTicket, StateAnswer, StateWrite } from "../../service/ticket-service.ts";
import { LinearRefusal } from "../client/failures.ts";
import type { LinearRequests } from "../client/requests.ts";
import type { Issue, LinearComment } from "../read/answers.ts";
import type { LinearIssues } from "../read/linear-issues.ts";
import { commentText, gateComment, isSameMarkdown, ownCommentIds, stepIn } from "../ticket/gate.ts";
import { doneState, firstStateId, labelId, readStates } from "./labels-and-states.ts";
import { requireSuccess } from "./writes.ts";

/** What writes need. */
export interface WriteContext {
  readonly requests: LinearRequests;
  readonly issues: LinearIssues;
  readonly spec: Pick<LinearSpec, "doneState">;
}

/** Types of the states that an issue is reopened to, first choice first. */
const REOPENED = ["unstarted", "started", "backlog", "triage"] as const;
const CLOSED: ReadonlySet<string> = new Set(["completed", "canceled", "duplicate"]);
const NOT_STARTED: ReadonlySet<string> = new Set(["triage", "backlog", "unstarted"]);

/**
 * Sets a ticket's state. State and label change in one request. A gate's comment is written before its label, and is taken away
 * after it, so that a write that is cut short anywhere leaves the ticket in its old state or in the new one, with its step; the
 * same call finishes it.
 */
export async function setState(context: WriteContext, { id, state, note, from }: StateWrite): Promise<StateAnswer> {
  const { issues } = context;
  const issue = await present(context, id);
  const before = issues.ticket(issue);
  const isSet = isSameState(before.state, state);
  if (isSet && !(await isUnfinished(context, issue, state))) return { before, after: before };
  const isRefused = (now: ServiceTicket, { state: { type } }: Issue): boolean =>
    from !== undefined && (isCanceled(now, type) || !from.some((allowed) => isSameState(allowed, now.state)));
  if (!isSet && isRefused(before, issue)) return { conflict: before };
  // A person may act while other things are asked and written: Linear has no write that depends on a state.
  const lookAgain = async (): Promise<Look> => {
    const current = await present(context, id);
    const now = issues.ticket(current);
    const isSetNow = isSameState(now.state, state);
    return { issue: current, isSet: isSetNow, conflict: !isSetNow && isRefused(now, current) ? now : undefined };
  };
  let conflict: ServiceTicket | undefined;
  if (state.as === "human-gated" && isSet) await removeOlder(context.requests, issue);
  else if (state.as === "human-gated") conflict = await gate(context, issue, { step: state.step, note, lookAgain });
  else {
    const isGated = before.state.as === "human-gated";
    conflict = await settle(context, issue, { as: state.as, note, isGated, isSet, lookAgain });
  }
  if (conflict !== undefined) return { conflict };
  return { before, after: issues.ticket(await present(context, id)) };
}

/** True if a person has canceled the ticket, and its batch does not count that as done. */
function isCanceled({ state }: ServiceTicket, type: string): boolean {
  return state.as !== "done" && CLOSED.has(type);
}

/** An issue as it is just before a write. */
interface Look {
  readonly issue: Issue;
  /** True if its ticket has the wanted state. */
  readonly isSet: boolean;
  /** The ticket if its state must not be written any more. */
  readonly conflict: ServiceTicket | undefined;
}

/**
 * Moves an issue that waits to the team's first started state, so that people see that work on it has begun. Nothing is asked if the
 * last reading shows it further on already.
 */
export async function markStarted(context: WriteContext, id: TicketId): Promise<void> {
  const { requests, issues } = context;
  const known = issues.known(id) ?? (await present(context, id));
  if (!NOT_STARTED.has(known.state.type)) return;
  const state = (await readStates(requests, known.team.id)).find(({ type }) => type === "started");
  if (state === undefined) return;
  // The last request before the write: a person may have moved it.
  const issue = await present(context, id);
  if (!NOT_STARTED.has(issue.state.type) || issue.team.id !== known.team.id) return;
  requireSuccess(await requests.sdk((client) => client.updateIssue(issue.id, { stateId: state.id })));
  await context.issues.fresh(id);
}

async function present({ issues: all }: WriteContext, id: TicketId): Promise<Issue> {
  const issue = await all.fresh(id);
  if (issue === undefined) throw new Error(`Linear has no ticket ${id}, or it is archived`);
  return issue;
}

/**
 * True if loopdash's comments are not yet as they must be in this state: a write was cut short, or a person settled a ticket that
 * loopdash gated.
 */
async function isUnfinished({ requests }: WriteContext, issue: Issue, { as }: TrackerState): Promise<boolean> {
  const { viewer } = await requests.me();
  const own = ownComments(issue, viewer);
  return as === "human-gated" ? own.length > 1 : own.some(({ comment }) => stepIn(comment.body, "loopdash") !== undefined);
}

/** Gates a ticket, or gives it as a person has set it meanwhile. */
async function gate(
  { requests }: WriteContext,
  issue: Issue,
  { lookAgain, ...comment }: { readonly step: string; readonly note: string; readonly lookAgain: () => Promise<Look> },
): Promise<ServiceTicket | undefined> {
  const isClosed = CLOSED.has(issue.state.type);
  const reopened = isClosed ? firstStateId(await readStates(requests, issue.team.id), ["started", ...REOPENED]) : undefined;
  const label = gateLabels(issue).length > 0 ? undefined : await labelId(requests, GATE_LABEL, issue.team.id);
  const { issue: now, conflict } = await lookAgain();
  if (conflict !== undefined) return conflict;
  await writeGate(requests, now, comment);
  await update(requests, now.id, {
    ...(reopened !== undefined && CLOSED.has(now.state.type) && { stateId: reopened }),
    ...(label !== undefined && { addedLabelIds: [label] }),
  });
  return undefined;
}

/** How a ticket is settled. */
interface Settling {
  readonly as: "open" | "done";
  readonly note: string;
  readonly isGated: boolean;
  readonly isSet: boolean;
  readonly lookAgain: () => Promise<Look>;
}

/** Settles a ticket, or gives it as a person has set it meanwhile. */
async function settle(
  { requests, spec }: WriteContext,
  issue: Issue,
  { as, note, isGated, isSet, lookAgain }: Settling,
): Promise<ServiceTicket | undefined> {
  let stateId = isSet ? undefined : await stateFor(as, issue, { requests, spec });
  const labels = gateLabels(issue);
  if (!isSet) {
    await writeNote(requests, issue, { note, keepGate: isGated });
    const now = await lookAgain();
    if (now.conflict !== undefined) return now.conflict;
    // In which of its team's open or completed states it is then, is the person's choice.
    if (now.isSet) stateId = undefined;
  }
  await update(requests, issue.id, {
    ...(stateId !== undefined && { stateId }),
    ...(labels.length > 0 && { removedLabelIds: labels }),
  });
  await endGate(requests, issue, note);
  return undefined;
}

/** The state that the issue moves to; undefined if it can stay where it is. */
async function stateFor(
  as: "open" | "done",
  issue: Issue,
  { requests, spec }: Pick<WriteContext, "requests" | "spec">,
): Promise<string | undefined> {
  if (as === "open" && !CLOSED.has(issue.state.type)) return undefined;
  const states = await readStates(requests, issue.team.id);
  return as === "done" ? doneState(states, spec.doneState) : firstStateId(states, REOPENED);
}

function gateLabels({ labels }: Pick<Issue, "labels">): string[] {
  return labels.nodes.filter(({ name }) => name === GATE_LABEL).map(({ id }) => id);
}

async function update(
  requests: LinearRequests,
  issue: string,
  change: { readonly stateId?: string; readonly addedLabelIds?: string[]; readonly removedLabelIds?: string[] },
): Promise<void> {
  if (Object.keys(change).length > 0) requireSuccess(await requests.sdk((client) => client.updateIssue(issue, change)));
}

/** A comment of the token's own loopdash on an issue. */
interface OwnComment {
  /** Its id among `ownCommentIds`. */
  readonly n: number;
  readonly comment: LinearComment;
}

/** loopdash's own comments, the newest last. There are two only if a write was cut short. */
function ownComments({ id, comments }: Pick<Issue, "id" | "comments">, viewer: string): readonly OwnComment[] {
  const ids = ownCommentIds(id, viewer);
  return comments.nodes
    .filter(({ user }) => user?.id === viewer)
    .flatMap((comment) => (ids.includes(comment.id) ? [{ n: ids.indexOf(comment.id), comment }] : []))
    .sort((a, b) => a.n - b.n);
}

/** Ids that are tried for one new comment: people may have deleted earlier ones, and their ids stay used. */
const MAX_TRIED = 5;

/** Makes loopdash's comment gate the issue with a step: it becomes the newest gate comment. */
async function writeGate(requests: LinearRequests, issue: Issue, { step, note }: { step: string; note: string }): Promise<void> {
  const { viewer } = await requests.me();
  const own = ownComments(issue, viewer);
  const last = own.at(-1);
  const newest = gateComment(issue)?.comment;
  const text = commentText(note, step);
  // A comment keeps its place when it is edited: behind a person's newer gate it would count for nothing.
  const isBehind =
    newest !== undefined && last !== undefined && Date.parse(newest.createdAt) > Date.parse(last.comment.createdAt);
  if (last === undefined || isBehind) await create(requests, issue, { text, from: last === undefined ? 0 : last.n + 1 });
  else if (stepIn(last.comment.body, "loopdash") !== step.trim() || !isSameMarkdown(last.comment.body, text))
    await edit(requests, last.comment.id, text);
  await removeAll(requests, isBehind ? own : own.slice(0, -1));
}

/** Leaves one comment of loopdash's: an earlier write may have been cut short before it removed the other. */
async function removeOlder(requests: LinearRequests, issue: Issue): Promise<void> {
  const { viewer } = await requests.me();
  await removeAll(requests, ownComments(issue, viewer).slice(0, -1));
}

/** Writes a note into loopdash's comment. `keepGate` leaves its first line, so that the ticket stays gated by it. */
async function writeNote(
  requests: LinearRequests,
  issue: Issue,
  { note, keepGate }: { readonly note: string; readonly keepGate: boolean },
): Promise<void> {
  const { viewer } = await requests.me();
  const own = ownComments(issue, viewer);
  const last = own.at(-1);
  if (last === undefined) {
    if (note !== "") await create(requests, issue, { text: commentText(note), from: 0 });
    return;
  }
  const text = commentText(note, keepGate ? stepIn(last.comment.body, "loopdash") : undefined);
  if (!isSameMarkdown(last.comment.body, text)) await edit(requests, last.comment.id, text);
}

/** Takes the gate out of loopdash's comments. */
async function endGate(requests: LinearRequests, issue: Issue, note: string): Promise<void> {
  const { viewer } = await requests.me();
  for (const { comment } of ownComments(issue, viewer))
    if (stepIn(comment.body, "loopdash") !== undefined) await edit(requests, comment.id, commentText(note));
}

/** Creates the comment under the first derived id from `from` on that no deleted comment has. */
async function create(
  requests: LinearRequests,
  issue: Issue,
  { text, from }: { readonly text: string; readonly from: number },
): Promise<void> {
  const { viewer } = await requests.me();
  let refusal: unknown;
  for (const id of ownCommentIds(issue.id, viewer).slice(from, from + MAX_TRIED)) {
    try {
      return requireSuccess(await requests.sdk((client) => client.createComment({ id, issueId: issue.id, body: text })));
    } catch (error) {
      if (!(error instanceof LinearRefusal)) throw error;
      refusal ??= error;
      // It is there, and no reading shows it yet, or a person deleted it. A write is never behind.
      if (await canEdit(requests, id, text)) return;
    }
  }
  throw refusal;
}

async function canEdit(requests: LinearRequests, id: string, text: string): Promise<boolean> {
  try {
    await edit(requests, id, text);
    return true;
  } catch (error) {
    if (error instanceof LinearRefusal) return false;
    throw error;
  }
}

async function edit(requests: LinearRequests, id: string, body: string): Promise<void> {
  requireSuccess(await requests.sdk((client) => client.updateComment(id, { body })));
}

async function removeAll(requests: LinearRequests, comments: readonly OwnComment[]): Promise<void> {
  for (const { comment } of comments) requireSuccess(await requests.sdk((client) => client.deleteComment(comment.id)));
}
