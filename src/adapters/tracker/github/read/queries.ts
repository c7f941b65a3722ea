/** Fields and arguments that older GitHub Enterprise Servers do not know; the query leaves them out there. */
export const OPTIONAL_FIELDS = ["blockedBy", "subIssues", "enableDuplicate"] as const;
export type OptionalField = (typeof OPTIONAL_FIELDS)[number];
/** The optional fields that the server does not know. */
export type Missing = ReadonlySet<OptionalField>;

/** Issues on one page of a list, and in one request by their numbers. GitHub allows no more. */
export const PAGE = 100;
/** Comments and blockers that come with an issue; GitHub counts what is asked for, not what there is. */
const [COMMENTS, BLOCKERS] = [40, 50];

const REPOSITORY = "repository { id nameWithOwner }";
const COMMENT_FIELDS =
  "url body createdAt isMinimized viewerDidAuthor authorAssociation author { __typename login ... on User { name } }";
const CLOSING =
  "timelineItems(last: 1, itemTypes: [CLOSED_EVENT]) { nodes { ... on ClosedEvent { id closer { __typename ... on Commit { oid } } } } }";

const reasonField = (missing: Missing): string =>
  missing.has("enableDuplicate") ? "stateReason" : "stateReason(enableDuplicate: true)";
const blockerFields = (missing: Missing): string => `number state ${reasonField(missing)} ${REPOSITORY}`;

/** The fields of an issue, as a fragment `Ticket`. */
export function ticketFragment(missing: Missing): string {
  const blockers = (["blockedBy", "subIssues"] as const)
    .filter((field) => !missing.has(field))
    .map((field) => `${field}(first: ${BLOCKERS}) { nodes { ${blockerFields(missing)} } pageInfo { hasNextPage endCursor } }`);
  return `fragment Ticket on Issue { id number title body url state ${reasonField(missing)} updatedAt viewerDidAuthor authorAssociation ${REPOSITORY}
  milestone { title } assignees(first: 10) { nodes { login name } } labels(first: 100) { nodes { name } } ${CLOSING}
  comments(last: ${COMMENTS}) { nodes { ${COMMENT_FIELDS} } pageInfo { hasPreviousPage startCursor } }
  ${blockers.join("\n  ")} }`;
}

/** The fields of an issue that may block another, as a fragment `Blocker`. */
export function blockerFragment(missing: Missing): string {
  return `fragment Blocker on Issue { ${blockerFields(missing)} }`;
}

/** What tells discovered tickets. */
export const MARKED_FRAGMENT = "fragment Marked on Issue { number body viewerDidAuthor }";

/** One more page of what an issue has many of. `cursor` is a variable's name. */
export function morePage(field: "comments" | "blockedBy" | "subIssues", cursor: string, missing: Missing): string {
  return field === "comments"
    ? `comments(last: 100, before: ${cursor}) { nodes { ${COMMENT_FIELDS} } pageInfo { hasPreviousPage startCursor } }`
    : `${field}(first: 100, after: ${cursor}) { nodes { ${blockerFields(missing)} } pageInfo { hasNextPage endCursor } }`;
}
