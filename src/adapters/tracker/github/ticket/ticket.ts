import type { Writer } from "../../../../domain/batch/schema.ts";
import type { GitHubSpec } from "../../../../domain/batch/tracker-spec.ts";
import { type TrackerState, textSha } from "../../../../domain/run/drift-fact.ts";
import type { RepoId, TicketId } from "../../../../domain/values/ids.ts";
import { plainText } from "../../../../domain/values/text.ts";
import { exclusiveNames, GATE_LABEL, namedRepo } from "../../service/labels.ts";
import type { ServiceTicket } from "../../service/ticket-service.ts";
import { CANCELED_TODO, MAX_BODY, MAX_NAME, oneLine, quotedComment } from "../../service/ticket-text.ts";
import { withoutTrailer } from "../marks.ts";
import { issuePlaceKey } from "../repositories.ts";
import { listTalk, newestGate, ownComments, TRUSTED } from "./comments.ts";
import type { GitHubBlocker, GitHubIssue } from "./issue.ts";

/** What an issue is to the batch, apart from the issue itself. */
export interface GitHubTicketContext {
  readonly spec: GitHubSpec;
  /** The batch's names of its repositories. */
  readonly repos: readonly RepoId[];
  /** What comes before the number in ids, by the index of a repository. */
  readonly prefixes: readonly string[];
  /** The ids of the batch's tickets, by the keys of their issues. */
  readonly ids: ReadonlyMap<string, TicketId>;
  /** The index of the repository with this id of GitHub's. */
  readonly indexOf: (repositoryId: string) => number | undefined;
}

/** An issue as a ticket. Throws an error that names it if its state is none that GitHub documents. */
export function issueTicket(id: TicketId, issue: GitHubIssue, context: GitHubTicketContext): ServiceTicket {
  const { node } = issue;
  const labels = node.labels.nodes.map(({ name }) => name);
  const title = oneLine(node.title);
  const body = ticketBody(issue);
  const { state, held: undecided } = issueState(id, issue, context.spec);
  const { dependsOn, held: waiting } = splitBlockers(issue, context);
  const held = state.as === "open" ? (undecided ?? waiting) : undefined;
  const repo = issueRepo(issue, labels, context);
  const exclusive = exclusiveNames(labels);
  const people = node.assignees.nodes.map(({ name, login }) => name || login);
  const assignee = plainText(people.join(", "), MAX_NAME);
  const setByCommit = state.as === "done" ? closingCommit(issue) : undefined;
  // `updatedAt` has whole seconds: the last closing and loopdash's own comment tell an undone write from none.
  const traces = [
    node.updatedAt,
    node.stateReason,
    node.timelineItems.nodes.at(-1)?.id,
    ownComments(issue).map((each) => each.body),
  ];
  const facts = [id, node.url, title, body, state, assignee, dependsOn, held, repo, exclusive, setByCommit, ...traces];
  return {
    id,
    title,
    body,
    state,
    revision: textSha(JSON.stringify(facts)),
    titleSha: textSha(title),
    bodySha: textSha(body),
    url: node.url,
    serviceId: !id.endsWith(`-${node.number}`) ? `#${node.number}` : undefined,
    dependsOn,
    exclusive,
    assignee,
    writer: leastTrustedWriter(issue),
    held,
    repo,
    setByCommit,
  };
}

/** The least trusted writer of a ticket's text, comments included. */
function leastTrustedWriter(issue: GitHubIssue): Writer {
  const { node } = issue;
  if (node.viewerDidAuthor && withoutTrailer(node.body).text !== node.body.replace(/\r\n?/g, "\n").trimEnd()) return "filed";
  const isMembers = [node, ...listTalk(issue)].every((text) => text.viewerDidAuthor || TRUSTED.has(text.authorAssociation));
  return isMembers ? "member" : "outsider";
}

/** True if an issue counts as finished: closed as completed, or before GitHub knew reasons. */
function isCompleted({ state, stateReason }: Pick<GitHubBlocker, "state" | "stateReason">): boolean {
  return state === "CLOSED" && (stateReason === "COMPLETED" || stateReason === null);
}

/** Why an issue was closed without being finished; undefined for any other reason. */
function canceledAs(stateReason: string | null): string | undefined {
  if (stateReason === "NOT_PLANNED") return "not planned";
  return stateReason === "DUPLICATE" ? "a duplicate" : undefined;
}

function issueState(
  id: TicketId,
  issue: GitHubIssue,
  spec: GitHubSpec,
): { readonly state: TrackerState; readonly held?: string | undefined } {
  const { state, stateReason, labels } = issue.node;
  if (isCompleted(issue.node)) return { state: { as: "done" } };
  if (state === "CLOSED") {
    const reason = canceledAs(stateReason);
    if (reason === undefined) throw unknownState(id, stateReason ?? "");
    if (spec.canceled === "settled") return { state: { as: "done" } };
    return { state: { as: "open" }, held: `it is closed as ${reason} on GitHub: a person must decide (${CANCELED_TODO})` };
  }
  if (state !== "OPEN") throw unknownState(id, state);
  if (!labels.nodes.some(({ name }) => name === GATE_LABEL)) return { state: { as: "open" } };
  const gate = newestGate(issue);
  if (gate !== undefined) return { state: { as: "human-gated", step: gate.step } };
  return { state: { as: "open" }, held: `it has the label ${GATE_LABEL}, and no comment says what is left to do` };
}

function unknownState(id: TicketId, word: string): Error {
  return new Error(`GitHub gives ticket ${id} a state that loopdash does not know: ${plainText(word, 60)}`);
}

/** The blockers that are tickets of the batch, and why the ticket waits for any other. */
function splitBlockers(
  issue: GitHubIssue,
  context: GitHubTicketContext,
): { readonly dependsOn: readonly TicketId[]; readonly held?: string } {
  const looked = issue.blockers.map((blocker) => lookAt(blocker, context));
  const dependsOn = [...new Set(looked.map(({ id }) => id).filter((id) => id !== undefined))].sort();
  const [first, ...more] = looked.map(({ waits }) => waits).filter((waits) => waits !== undefined);
  if (first === undefined) return { dependsOn };
  const others = more.length === 0 ? ", which is" : ` and ${more.length} more, which are`;
  return { dependsOn, held: `it waits for ${plainText(first, 150)}${others} not in the batch` };
}

/** A blocker: a ticket of the batch by its id, or the name of another issue that is not finished. */
function lookAt(
  blocker: GitHubBlocker | undefined,
  { spec, ids, indexOf, prefixes }: GitHubTicketContext,
): { readonly id?: TicketId | undefined; readonly waits?: string } {
  if (blocker === undefined) return { waits: "an issue that the token may not see" };
  const { number, repository, state, stateReason } = blocker;
  const repo = indexOf(repository.id);
  const id = repo === undefined ? undefined : ids.get(issuePlaceKey({ repo, number }));
  if (id !== undefined) return { id };
  const isSettled = spec.canceled === "settled" && state === "CLOSED" && canceledAs(stateReason) !== undefined;
  if (isCompleted(blocker) || isSettled) return {};
  return { waits: repo === undefined ? `${repository.nameWithOwner}#${number}` : `${prefixes[repo]}-${number}` };
}

function issueRepo(
  { repo }: GitHubIssue,
  labels: readonly string[],
  { spec, repos, prefixes }: GitHubTicketContext,
): RepoId | undefined {
  if (spec.repos !== undefined) return prefixes[repo] as RepoId;
  return namedRepo(labels, repos);
}

/** The commit whose message closed the issue ("Closes #7"), if that is how it was closed last. */
function closingCommit({ node }: GitHubIssue): string | undefined {
  const closer = node.timelineItems.nodes.at(-1)?.closer;
  return closer?.__typename === "Commit" ? closer.oid : undefined;
}

/**
 * The text of a ticket: its description, and what people said below it. If it is too long, the oldest comments go first, and a line
 * says so. A description that is too long by itself stays whole: the batch refuses it, by the ticket's name.
 */
function ticketBody(issue: GitHubIssue): string {
  const text = issue.node.viewerDidAuthor ? withoutTrailer(issue.node.body).text : issue.node.body;
  const description = text.replace(/\r\n?/g, "\n").toWellFormed();
  const comments = listTalk(issue).map(({ author, createdAt, body }) =>
    quotedComment({ name: author?.name || author?.login || "ghost", createdAt, body }),
  );
  for (let first = 0; first < comments.length; first += 1) {
    const whole = withComments(description, comments, first);
    if (whole.length <= MAX_BODY) return whole;
  }
  const none = withComments(description, comments, comments.length);
  return none.length <= MAX_BODY ? none : description;
}

function withComments(description: string, comments: readonly string[], first: number): string {
  if (comments.length === 0) return description;
  const left =
    first === 0 ? [] : [`(${first} older ${first === 1 ? "comment is" : "comments are"} left out: the text is too long.)`];
  return [description.trimEnd(), "## Comments", ...left, ...comments.slice(first)].filter((part) => part !== "").join("\n\n");
}
