/**
 * The only documents that are sent for the oracle, letter for letter those of oracle/linear.ts and oracle/github.ts: a test compares
 * them. Both are queries: they change nothing.
 */
export const DOCUMENTS = {
  linear: `query LoopdashOracle($ids: [ID!]!) {
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
}`,
  github: `query LoopdashOracle($ids: [ID!]!) {
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
}`,
} as const;

/** The most keys of one request, the larger of the two services' pages. */
export const MOST_KEYS = 250;

/** The most keys of one request to each service. */
export const PAGE: Readonly<Record<keyof typeof DOCUMENTS, number>> = { linear: 250, github: 100 };
