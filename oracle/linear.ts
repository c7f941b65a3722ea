import type { SnapshotTicket } from "./definition.ts";
import { gateStep, type ServiceReading } from "./service-reading.ts";
import { CannotJudge, checkedList, checkedObject, checkedText } from "./shape.ts";

/** Reads up to 250 issues, Linear's largest page. Of each, only what decides. */
export const LINEAR_DOCUMENT = `query LoopdashOracle($ids: [ID!]!) {
  issues(filter: { id: { in: $ids } }, first: 250, includeArchived: true) {
    nodes {
      id
      identifier
      previousIdentifiers
      trashed
      archivedAt
      updatedAt
      state { type }
      labels(filter: { name: { eq: "human-gated" } }, first: 2) { nodes { name } }
      comments(filter: { body: { startsWith: "Human step: " } }, first: 6) {
        nodes { body createdAt user { app isMe } botActor { type } }
        pageInfo { hasNextPage }
      }
    }
    pageInfo { hasNextPage }
  }
}`;

/** The most keys of one request. */
export const LINEAR_PAGE = 250;

const OPEN: ReadonlySet<string> = new Set(["triage", "backlog", "unstarted", "started"]);
const CANCELED: ReadonlySet<string> = new Set(["canceled", "duplicate"]);

/** The tickets of one answer. Issues that are archived or in the trash are not there. */
export function linearTickets(data: ReadonlyMap<string, unknown>, reading: ServiceReading): readonly SnapshotTicket[] {
  const issues = checkedObject(data.get("issues"), "the answer's issues", ["nodes", "pageInfo"]);
  if (checkedObject(issues.get("pageInfo"), "the page's end", ["hasNextPage"]).get("hasNextPage") !== false)
    throw new CannotJudge("Linear has more issues with these ids than fit on a page");
  return checkedList(issues.get("nodes"), "the answer's issues").flatMap((node, at) =>
    ticketOf(node, `issue ${at + 1}`, reading),
  );
}

const FIELDS = [
  ...["id", "identifier", "previousIdentifiers", "trashed", "archivedAt", "updatedAt", "state", "labels", "comments"],
] as const;

function ticketOf(node: unknown, where: string, { idOf, canceled, stamps }: ServiceReading): readonly SnapshotTicket[] {
  const issue = checkedObject(node, where, FIELDS);
  const key = checkedText(issue.get("id"), `the id of ${where}`);
  const id = idOf(key);
  if (id === undefined)
    throw new CannotJudge(`Linear gave the issue ${JSON.stringify(key.slice(0, 80))}, which was not asked for`);
  stamps.push(`${key} ${JSON.stringify(issue.get("updatedAt"))}`);
  if (issue.get("trashed") === true || issue.get("archivedAt") !== null) return [];
  mustBeNamed(id, issue);
  const type = checkedText(checkedObject(issue.get("state"), `the state of ${id}`, ["type"]).get("type"), `the state of ${id}`);
  if (type === "completed") return [{ id, state: "done" }];
  if (CANCELED.has(type)) return [{ id, state: canceled === "settled" ? "done" : "open" }];
  if (!OPEN.has(type)) return [{ id, state: `${type} (in Linear)` }];
  const step = isGated(id, issue) ? stepOf(id, issue) : undefined;
  return [step === undefined ? { id, state: "open" } : { id, state: "human-gated", step }];
}

/** The issue has this identifier, or had it in another team. One that loopdash filed has a key of its own instead. */
function mustBeNamed(id: string, issue: ReadonlyMap<string, unknown>): void {
  const names = [issue.get("identifier"), ...checkedList(issue.get("previousIdentifiers"), `the identifiers of ${id}`)];
  if (names.includes(id) || /-d[1-9]\d*$/.test(id)) return;
  throw new CannotJudge(`the issue for ticket ${id} is ${JSON.stringify(names[0])} in Linear`);
}

/** The exact name: a server may fold cases. */
function isGated(id: string, issue: ReadonlyMap<string, unknown>): boolean {
  const labels = checkedObject(issue.get("labels"), `the labels of ${id}`, ["nodes"]);
  return checkedList(labels.get("nodes"), `the labels of ${id}`).some(
    (label) => checkedObject(label, `a label of ${id}`, ["name"]).get("name") === "human-gated",
  );
}

function stepOf(id: string, issue: ReadonlyMap<string, unknown>): string | undefined {
  const comments = checkedObject(issue.get("comments"), `the comments of ${id}`, ["nodes", "pageInfo"]);
  if (checkedObject(comments.get("pageInfo"), `the comments of ${id}`, ["hasNextPage"]).get("hasNextPage") !== false)
    throw new CannotJudge(`ticket ${id} has more than 6 comments with a human step: delete those that no longer hold`);
  return gateStep(
    checkedList(comments.get("nodes"), `the comments of ${id}`).flatMap((comment) => {
      const fields = checkedObject(comment, `a comment of ${id}`, ["body", "createdAt", "user", "botActor"]);
      const at = checkedText(fields.get("createdAt"), `the time of a comment of ${id}`);
      return mayTell(id, fields) ? [{ body: withoutMarkdown(checkedText(fields.get("body"), `a comment of ${id}`)), at }] : [];
    }),
  );
}

/** People say what is left, and the token's own user. Integrations, bots and other apps do not. */
function mayTell(id: string, comment: ReadonlyMap<string, unknown>): boolean {
  if (comment.get("botActor") !== null || comment.get("user") === null) return false;
  const user = checkedObject(comment.get("user"), `the author of a comment of ${id}`, ["app", "isMe"]);
  return user.get("app") === false || user.get("isMe") === true;
}

/** The first line without Markdown's escapes and links: with them, a step within its bound can be twice as long. */
function withoutMarkdown(body: string): string {
  const [line = ""] = body.split("\n", 1);
  return line.replace(/(?<!\\)\[((?:[^[\]\\]|\\.)+)\]\(<?[^()<>\s]+>?\)/g, "$1").replace(/\\([!-/:-@[-`{-~])/g, "$1");
}
