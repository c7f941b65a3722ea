import type { LinearSpec } from "../../../../domain/batch/tracker-spec.ts";
import { type TrackerState, textSha } from "../../../../domain/run/drift-fact.ts";
import type { RepoId, TicketId } from "../../../../domain/values/ids.ts";
import { plainText } from "../../../../domain/values/text.ts";
import { exclusiveNames, GATE_LABEL, namedRepo } from "../../service/labels.ts";
import type { ServiceTicket } from "../../service/ticket-service.ts";
import { CANCELED_TODO, MAX_BODY, MAX_NAME, oneLine, quotedComment } from "../../service/ticket-text.ts";
import type { Blocker, Issue, LinearComment } from "../read/answers.ts";
import { gateComment, inOrder, isOfLoopdash, isOfPerson, stepIn } from "./gate.ts";

/** What makes a ticket of an issue, beside the issue. */
export interface TicketContext {
  readonly spec: Pick<LinearSpec, "canceled">;
  /** The batch's names of its repositories. */
  readonly repos: readonly RepoId[];
  /** The id of a ticket of the snapshot by its UUID. */
  idOf(uuid: string): TicketId | undefined;
}

/** An issue as a ticket. Throws if its state is of a type that is not known. */
export function linearTicket(id: TicketId, issue: Issue, context: TicketContext): ServiceTicket {
  const blockers = listBlockers(issue);
  const dependsOn = [...new Set(blockers.flatMap((blocker) => context.idOf(blocker.id) ?? []))]
    .filter((each) => each !== id)
    .sort();
  const { state, held } = linearState(id, issue, { ...context, blockers });
  const title = oneLine(issue.title);
  const { body, bodySha } = cachedText(issue);
  const labels = issue.labels.nodes.map(({ name }) => name);
  const repo = namedRepo(labels, context.repos);
  const exclusive = exclusiveNames(labels);
  const assignee = plainText(issue.assignee?.displayName ?? "", MAX_NAME);
  const setByCommit = state.as === "done" ? closingCommitId(issue) : undefined;
  const counted = [
    id,
    issue.url,
    title,
    bodySha,
    state,
    assignee,
    dependsOn,
    held ?? "",
    repo ?? "",
    exclusive,
    setByCommit ?? "-",
  ];
  return {
    id,
    title,
    body,
    state,
    revision: textSha(JSON.stringify([...counted, issue.updatedAt])),
    titleSha: textSha(title),
    bodySha,
    dependsOn,
    assignee,
    url: plainText(issue.url),
    serviceId: issue.identifier !== id ? issue.identifier : undefined,
    exclusive,
    repo,
    held,
    setByCommit,
  };
}

/** Texts of issues that were read. Most issues stay as they are from one reading to the next. */
const texts = new WeakMap<Issue, { readonly body: string; readonly bodySha: string }>();

function cachedText(issue: Issue): { readonly body: string; readonly bodySha: string } {
  const known = texts.get(issue);
  if (known !== undefined) return known;
  const body = linearBody(issue);
  const text = { body, bodySha: textSha(body) };
  texts.set(issue, text);
  return text;
}

/** Issues that must be done before this one: those that block it, and its sub-issues. */
export function listBlockers({ inverseRelations, children }: Pick<Issue, "inverseRelations" | "children">): readonly Blocker[] {
  const blocking = inverseRelations.nodes.filter(({ type }) => type === "blocks").map(({ issue }) => issue);
  return [...blocking, ...children.nodes];
}

/** Blockers that are not tickets of the snapshot and for which the ticket waits. */
export function waitsFor(blockers: readonly Blocker[], { spec, idOf }: Pick<TicketContext, "spec" | "idOf">): readonly Blocker[] {
  return blockers.filter(({ id, state, trashed }) => {
    if (trashed === true && state.type !== "completed") return true;
    if (idOf(id) !== undefined || state.type === "completed") return false;
    return !(isCanceled(state.type) && spec.canceled === "settled");
  });
}

interface StateContext extends TicketContext {
  readonly blockers: readonly Blocker[];
}

/** Types of states; their names are the teams' own (Linear's schema, WorkflowState.type). */
const OPEN_TYPES: ReadonlySet<string> = new Set(["triage", "backlog", "unstarted", "started"]);

function isCanceled(type: string): boolean {
  return type === "canceled" || type === "duplicate";
}

function linearState(
  id: TicketId,
  issue: Issue,
  { spec, idOf, blockers }: StateContext,
): { readonly state: TrackerState; readonly held?: string } {
  const { type } = issue.state;
  if (type === "completed") return { state: { as: "done" } };
  if (isCanceled(type)) {
    if (spec.canceled === "settled") return { state: { as: "done" } };
    const what = type === "canceled" ? "it is canceled in Linear" : "it is a duplicate in Linear";
    return { state: { as: "open" }, held: `${what}: a person must decide (${CANCELED_TODO})` };
  }
  if (!OPEN_TYPES.has(type)) {
    const shown = JSON.stringify(plainText(type, 40));
    throw new Error(`Linear has ticket ${id} in a state of the type ${shown}, which loopdash does not know`);
  }
  const hasLabel = issue.labels.nodes.some(({ name }) => name === GATE_LABEL);
  const gate = hasLabel ? gateComment(issue) : undefined;
  if (gate !== undefined) return { state: { as: "human-gated", step: gate.step } };
  if (hasLabel) return { state: { as: "open" }, held: `it has the label ${GATE_LABEL}, and no comment says what is left to do` };
  const [blocker] = waitsFor(blockers, { spec, idOf });
  if (blocker === undefined) return { state: { as: "open" } };
  const where = blocker.trashed === true ? "in the trash" : "not in the batch";
  return { state: { as: "open" }, held: `it waits for ${plainText(blocker.identifier, MAX_NAME)}, which is ${where}` };
}

/**
 * "" if an integration or another app, and no person, set the present state. Linear's history does not say by which commit. It is
 * looked for among the changes that were read; of an issue with more than 50 changes since, it is not known.
 */
function closingCommitId({ state, history }: Issue): string | undefined {
  const [last] = history.nodes
    .filter(({ toStateId }) => toStateId !== null)
    .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
  if (last?.toStateId !== state.id) return undefined;
  const isByBot = last.actorId === null && last.botActor !== null;
  return isByBot || (last.actor?.app === true && !last.actor.isMe) ? "" : undefined;
}

const MAX_TITLE = 300;

/**
 * The text for the agent: the description, the comments of people and the links. What is too long for a batch is left out, the
 * oldest comments first, and a line says so.
 */
function linearBody(issue: Issue): string {
  const description = wellFormed(issue.description ?? "");
  const links = attachmentLinks(issue);
  const comments = inOrder(issue.comments.nodes)
    .filter((comment) => belongs(issue.id, comment))
    .map(commentParagraph);
  for (let left = 0; left <= comments.length; left += 1) {
    const body = joined(description, [...leftOut(left), ...comments.slice(left)], links);
    if (body.length <= MAX_BODY) return body;
  }
  const rest = joined("", leftOut(comments.length), links);
  return cut(description, rest.length >= MAX_BODY / 2 ? "" : rest);
}

function belongs(issue: string, comment: LinearComment): boolean {
  return isOfPerson(comment) && !isOfLoopdash(issue, comment) && stepIn(comment.body, "person") === undefined;
}

function commentParagraph({ user, createdAt, body }: LinearComment): string {
  return quotedComment({ name: user?.displayName ?? "", createdAt, body });
}

function leftOut(comments: number): readonly string[] {
  return comments === 0 ? [] : [`(${comments} older ${comments === 1 ? "comment is" : "comments are"} left out.)`];
}

function attachmentLinks({ attachments }: Issue): readonly string[] {
  return attachments.nodes.map(({ title, url }) => `- ${plainText(title, MAX_TITLE).trim()}: ${plainText(url)}`);
}

function joined(description: string, comments: readonly string[], links: readonly string[]): string {
  const parts = [
    ...(description === "" ? [] : [description]),
    ...(comments.length === 0 ? [] : ["## Comments", ...comments]),
    ...(links.length === 0 ? [] : ["## Links", links.join("\n")]),
  ];
  return parts.join("\n\n");
}

function cut(description: string, rest: string): string {
  const mark = "\n\n(The description is longer, and is cut here.)";
  const end = rest === "" ? mark : `${mark}\n\n${rest}`;
  return `${wellFormed(description.slice(0, MAX_BODY - end.length))}${end}`;
}

function wellFormed(text: string): string {
  return text.toWellFormed();
}
