import type { SnapshotTicket } from "./definition.ts";
import { gateStep, type ServiceReading } from "./service-reading.ts";
import { CannotJudge, checkedList, checkedObject, checkedText, fieldOf } from "./shape.ts";

/** Reads up to 100 issues, the most that `nodes` takes. Of each, only what decides. */
export const GITHUB_DOCUMENT = `query LoopdashOracle($ids: [ID!]!) {
  nodes(ids: $ids) {
    __typename
    ... on Issue {
      id
      number
      updatedAt
      state
      stateReason
      repository { id nameWithOwner }
      labels(first: 100) { nodes { name } }
      comments(last: 50) { nodes { body createdAt authorAssociation viewerDidAuthor isMinimized } }
    }
  }
}`;

/** The most keys of one request. */
export const GITHUB_PAGE = 100;

/** People who may say what is left to do; anybody can comment on a public issue. */
const TRUSTED: ReadonlySet<unknown> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

/** The tickets of one answer. What is no issue, or lies in another repository now, is not there. */
export function githubTickets(data: ReadonlyMap<string, unknown>, reading: ServiceReading): readonly SnapshotTicket[] {
  const nodes = checkedList(data.get("nodes"), "the answer's issues");
  return nodes.flatMap((node, at) => {
    if (node === null) return [];
    const type = fieldOf(node, "__typename", `issue ${at + 1}`);
    return type === "Issue" ? ticketOf(node, `issue ${at + 1}`, reading) : [];
  });
}

const FIELDS = [
  ...["__typename", "id", "number", "updatedAt", "state", "stateReason", "repository", "labels", "comments"],
] as const;

function ticketOf(
  node: unknown,
  where: string,
  { idOf, canceled, repos, repoIds, stamps }: ServiceReading,
): readonly SnapshotTicket[] {
  const issue = checkedObject(node, where, FIELDS);
  const key = checkedText(issue.get("id"), `the id of ${where}`);
  const id = idOf(key);
  if (id === undefined)
    throw new CannotJudge(`GitHub gave the issue ${JSON.stringify(key.slice(0, 80))}, which was not asked for`);
  stamps.push(`${key} ${JSON.stringify(issue.get("updatedAt"))}`);
  if (!isIn(id, issue, { repos, repoIds })) return [];
  const state = stateOf(issue.get("state"), issue.get("stateReason"), canceled);
  if (state !== "open") return [{ id, state }];
  const step = isGated(id, issue) ? stepOf(id, issue) : undefined;
  return [step === undefined ? { id, state } : { id, state: "human-gated", step }];
}

/**
 * True if the issue is in the repository that its ticket's name stands for, whatever that is called by now. Its number must be the
 * ticket's.
 */
function isIn(
  id: string,
  issue: ReadonlyMap<string, unknown>,
  { repos, repoIds }: Pick<ServiceReading, "repos" | "repoIds">,
): boolean {
  const [, name = "", number = "", found = ""] = /^(.+?)-(\d+)((?:-d[1-9]\d*)*)$/.exec(id) ?? [];
  const wanted = repos.get(name);
  if (wanted === undefined) throw new CannotJudge(`ticket ${id} belongs to no repository of the batch's tracker`);
  const repository = checkedObject(issue.get("repository"), `the repository of ${id}`, ["id", "nameWithOwner"]);
  const key = checkedText(repository.get("id"), `the repository of ${id}`);
  const fullName = checkedText(repository.get("nameWithOwner"), `the repository of ${id}`);
  const known = repoIds.get(name);
  if (known === undefined ? fullName.toLowerCase() !== wanted.toLowerCase() : key !== known) return false;
  if (found === "" && issue.get("number") !== Number(number))
    throw new CannotJudge(`the issue for ticket ${id} has the number ${JSON.stringify(issue.get("number"))} on GitHub`);
  return true;
}

function stateOf(state: unknown, reason: unknown, canceled: ServiceReading["canceled"]): string {
  if (state === "OPEN") return "open";
  if (state === "CLOSED" && (reason === "COMPLETED" || reason === null)) return "done";
  if (state === "CLOSED" && (reason === "NOT_PLANNED" || reason === "DUPLICATE")) return canceled === "settled" ? "done" : "open";
  return `${String(state)}, ${String(reason)} (on GitHub)`;
}

/** The exact name: GitHub folds the cases of labels. */
function isGated(id: string, issue: ReadonlyMap<string, unknown>): boolean {
  const labels = checkedObject(issue.get("labels"), `the labels of ${id}`, ["nodes"]);
  return checkedList(labels.get("nodes"), `the labels of ${id}`).some(
    (label) => checkedObject(label, `a label of ${id}`, ["name"]).get("name") === "human-gated",
  );
}

function stepOf(id: string, issue: ReadonlyMap<string, unknown>): string | undefined {
  const comments = checkedObject(issue.get("comments"), `the comments of ${id}`, ["nodes"]);
  const all = checkedList(comments.get("nodes"), `the comments of ${id}`).map((comment) => {
    const names = ["body", "createdAt", "authorAssociation", "viewerDidAuthor", "isMinimized"] as const;
    const fields = checkedObject(comment, `a comment of ${id}`, names);
    return {
      body: checkedText(fields.get("body"), `a comment of ${id}`),
      at: checkedText(fields.get("createdAt"), `the time of a comment of ${id}`),
      // One that people have hidden no longer holds.
      trusted:
        fields.get("viewerDidAuthor") === true ||
        (TRUSTED.has(fields.get("authorAssociation")) && fields.get("isMinimized") === false),
    };
  });
  return gateStep(all.filter(({ trusted }) => trusted));
}
