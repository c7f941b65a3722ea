import type { PageSizes } from "./page-sizes.ts";

/** A connection of an issue that may have more than one page. */
export type ConnectionName = "labels" | "comments" | "attachments" | "inverseRelations" | "children";

/** What is read of each node. Each field costs points: see `pointsOf` in page-sizes.ts. */
const NODES = {
  labels: "id name",
  comments: "id body createdAt updatedAt user { id displayName app } botActor { type }",
  attachments: "title url",
  inverseRelations: "type issue { id identifier trashed state { type } }",
  children: "id identifier trashed state { type }",
  history: "createdAt toStateId actorId actor { app isMe } botActor { type }",
} as const;

const connection = (name: keyof typeof NODES): string =>
  `${name}(first: $${name}) { nodes { ${NODES[name]} } pageInfo { hasNextPage } }`;

const SIZES = (Object.keys(NODES) as (keyof PageSizes)[]).map((name) => `$${name}: Int!`).join(", ");

/** The fields of an issue that make a ticket. */
const TICKET = `id identifier previousIdentifiers title description url updatedAt archivedAt trashed
      state { id type }
      team { id }
      project { id }
      assignee { displayName }
      ${(Object.keys(NODES) as (keyof typeof NODES)[]).map(connection).join("\n      ")}`;

/** When an issue and its comments last changed. */
const STAMP = "id updatedAt comments(first: 1, orderBy: updatedAt) { nodes { updatedAt } }";

/** Issues with everything that makes a ticket, in one request. The sizes of the nested pages are variables. */
export const ISSUES = `query LoopdashIssues($filter: IssueFilter!, $first: Int!, $after: String, $includeArchived: Boolean!, ${SIZES}) {
  issues(filter: $filter, first: $first, after: $after, includeArchived: $includeArchived) {
    nodes {
      ${TICKET}
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Which issues there are and when they and their comments last changed. */
export const STAMPS = `query LoopdashStamps($filter: IssueFilter!, $first: Int!, $after: String, $includeArchived: Boolean!) {
  issues(filter: $filter, first: $first, after: $after, includeArchived: $includeArchived) {
    nodes { ${STAMP} }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** The same of issues that changed, and everything of those that changed last: few do between two readings. */
export const CHANGES = `query LoopdashChanges($filter: IssueFilter!, $first: Int!, $newest: Int!, ${SIZES}) {
  newest: issues(filter: $filter, first: $newest, orderBy: updatedAt, includeArchived: true) {
    nodes {
      ${TICKET}
    }
  }
  issues(filter: $filter, first: $first, includeArchived: true) {
    nodes { ${STAMP} }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** One connection of one issue, page by page. */
export const MORE = Object.fromEntries(
  (["labels", "comments", "attachments", "inverseRelations", "children"] as const).map((name) => [
    name,
    `query LoopdashMore($id: String!, $after: String) {
  issue(id: $id) {
    ${name}(first: 100, after: $after) { nodes { ${NODES[name]} } pageInfo { hasNextPage endCursor } }
  }
}`,
  ]),
) as Readonly<Record<ConnectionName, string>>;

/** The issue with this identifier, or an earlier one. */
export const ISSUE_ID = `query LoopdashIssueId($id: String!) { issue(id: $id) { id identifier previousIdentifiers } }`;

/** Custom views that a filter finds. */
export const VIEWS = `query LoopdashViews($filter: CustomViewFilter!) {
  customViews(filter: $filter, first: 10) { nodes { id name modelName filterData team { id } } }
}`;

/** Whether there is anything of these names. */
export const NAMES = `query LoopdashNames($teams: TeamFilter!, $projects: ProjectFilter!, $labels: IssueLabelFilter!, $cycles: CycleFilter!) {
  teams(filter: $teams, first: 1) { nodes { id } }
  projects(filter: $projects, first: 1) { nodes { id } }
  issueLabels(filter: $labels, first: 1) { nodes { id } }
  cycles(filter: $cycles, first: 1) { nodes { id } }
}`;

/** The states of a team's workflow. */
export const STATES = `query LoopdashStates($team: ID!) {
  workflowStates(filter: { team: { id: { eq: $team } } }, first: 100) {
    nodes { id name type position team { key } }
    pageInfo { hasNextPage }
  }
}`;

/** Labels of one name, of any team. */
export const LABELS = `query LoopdashLabels($name: String!) {
  issueLabels(filter: { name: { eq: $name } }, first: 100) { nodes { id name isGroup retiredAt team { id } } pageInfo { hasNextPage } }
}`;
