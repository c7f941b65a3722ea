import { z } from "zod";

/** The shapes of what queries.ts asks for. What is not known to be null in an answer must be there. */

const Time = z.string().refine((text) => Number.isFinite(Date.parse(text)), "must be a time");
const Author = z.object({ __typename: z.string(), login: z.string(), name: z.string().nullish() }).nullable();

/** A comment. `url` ends with its number. */
export const CommentNode = z.object({
  url: z.string().regex(/#issuecomment-\d+$/),
  body: z.string(),
  createdAt: Time,
  isMinimized: z.boolean(),
  viewerDidAuthor: z.boolean(),
  authorAssociation: z.string(),
  author: Author,
});
export type CommentNode = z.infer<typeof CommentNode>;

/** GitHub's id of a repository, and its name as `owner/name`. */
const RepositoryName = z.object({ id: z.string(), nameWithOwner: z.string() });

/** An issue that another one waits for. */
export const BlockerNode = z.object({
  number: z.int(),
  state: z.enum(["OPEN", "CLOSED"]),
  stateReason: z.string().nullable(),
  repository: RepositoryName,
});
export type BlockerNode = z.infer<typeof BlockerNode>;

const Forward = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });
const Backward = z.object({ hasPreviousPage: z.boolean(), startCursor: z.string().nullable() });

/** Comments, the newest of them; those before are on further pages. */
export const CommentPage = z.object({ nodes: z.array(CommentNode.nullable()), pageInfo: Backward });
/** Issues that one waits for. A node that the token may not see is null. */
export const BlockerPage = z.object({ nodes: z.array(BlockerNode.nullable()), pageInfo: Forward });

const Closing = z.object({ id: z.string(), closer: z.object({ __typename: z.string(), oid: z.string().optional() }).nullable() });

/** An issue with all that counts. The three last are pages of more, if there are more. */
export const IssueNode = z.object({
  id: z.string().min(1),
  number: z.int(),
  title: z.string(),
  body: z.string(),
  url: z.string(),
  state: z.string(),
  stateReason: z.string().nullable(),
  updatedAt: Time,
  viewerDidAuthor: z.boolean(),
  authorAssociation: z.string(),
  repository: RepositoryName,
  milestone: z.object({ title: z.string() }).nullable(),
  assignees: z.object({ nodes: z.array(z.object({ login: z.string(), name: z.string().nullable() })) }),
  labels: z.object({ nodes: z.array(z.object({ name: z.string() })) }),
  timelineItems: z.object({ nodes: z.array(Closing) }),
  comments: CommentPage,
  // Only a server that does not know them leaves them out; see complete-issues.ts.
  blockedBy: z.unknown().optional(),
  subIssues: z.unknown().optional(),
});
export type IssueNode = z.infer<typeof IssueNode>;

/** An issue of which only the mark in its text is looked at. */
export const MarkedNode = z.object({ number: z.int(), body: z.string(), viewerDidAuthor: z.boolean() });
export type MarkedNode = z.infer<typeof MarkedNode>;

/** One page of a list, forward. Nodes of other types are `{}` or null. */
export const ListPage = z.object({ total: z.int(), nodes: z.array(z.unknown()), pageInfo: Forward });
