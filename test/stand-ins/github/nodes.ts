import { GraphQLError } from "graphql";
import type { Forge } from "./forge/forge.ts";
import { associationOf, type Comment, type Issue, type Repo, type State, timeText } from "./state.ts";

/** Who asks, about what. */
export interface Asking {
  readonly state: State;
  readonly viewer: string;
  /** The address of the web pages. */
  readonly web: string;
  /** What this query costs, and what is left. */
  readonly rateLimit: object | null;
  readonly forge: Forge;
  /** True if the viewer's token may change pull requests. */
  readonly canWrite: boolean;
}

export interface PageArgs {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
}

/** An error as GitHub's GraphQL has them, with its own type. */
export class QueryError extends GraphQLError {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** A page of items that are in the order of their keys. Cursors are the keys, so that a page begins right even if items are gone. */
export function connection<T>(
  items: readonly T[],
  keyOf: (item: T) => number,
  args: PageArgs,
  nodeOf: (item: T) => unknown,
): object {
  const { first, last, after, before } = args;
  const bounded = items.filter(
    (item) =>
      (typeof after !== "string" || keyOf(item) > cursorKey(after)) &&
      (typeof before !== "string" || keyOf(item) < cursorKey(before)),
  );
  const page = typeof last === "number" ? (last === 0 ? [] : bounded.slice(-last)) : bounded.slice(0, first ?? undefined);
  const cursor = (item: T | undefined) => (item === undefined ? null : Buffer.from(`cursor:${keyOf(item)}`).toString("base64"));
  return {
    totalCount: items.length,
    issueCount: items.length,
    nodes: page.map(nodeOf),
    pageInfo: {
      hasNextPage: typeof last !== "number" && page.length < bounded.length,
      hasPreviousPage: typeof last === "number" && page.length < bounded.length,
      startCursor: cursor(page[0]),
      endCursor: cursor(page.at(-1)),
    },
  };
}

function cursorKey(cursor: string): number {
  const key = /^cursor:(\d+)$/.exec(Buffer.from(cursor, "base64").toString())?.[1];
  if (key === undefined) throw new QueryError("INVALID_CURSOR_ARGUMENTS", `\`${cursor}\` does not appear to be a valid cursor.`);
  return Number(key);
}

export function commentNode(asking: Asking, { repo, issue }: { repo: Repo; issue: Issue }, comment: Comment): object {
  return {
    url: `${asking.web}/${repo.fullName}/issues/${issue.number}#issuecomment-${comment.id}`,
    body: comment.body,
    createdAt: timeText(comment.createdAt),
    isMinimized: comment.isMinimized ?? false,
    viewerDidAuthor: comment.author === asking.viewer,
    authorAssociation: associationOf(repo, comment.author),
    author: () => actor(asking, comment.author),
  };
}

/** Undefined users are gone: GitHub shows null. */
export function actor({ state }: Asking, login: string): object | null {
  const user = state.users[login];
  return user === undefined ? null : { __typename: user.isBot ? "Bot" : "User", login, name: user.name };
}
