import { z } from "zod";
import { boundedHead, plainText } from "../../../domain/values/text.ts";
import { Anything, COST, type GitHubRepository } from "./repository.ts";

/** Characters of an answer; GitHub takes 65,536. */
const MAX_ANSWER = 60_000;

/** The fields of whoever wrote something, and what that is to the repository. */
export const AUTHOR_FIELDS = "authorAssociation author { __typename login }";
/** Null if the account is gone. */
export const Actor = z.object({ __typename: z.string(), login: z.string() }).nullable();
type Actor = z.infer<typeof Actor>;

/** The fields of a review thread. */
export const THREAD_FIELDS = `id isResolved isOutdated path line comments(first: 100) { nodes { id body ${AUTHOR_FIELDS} } }`;
export const Thread = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  isOutdated: z.boolean(),
  path: z.string(),
  line: z.number().nullable(),
  comments: z.object({
    nodes: z.array(z.object({ id: z.string(), body: z.string(), authorAssociation: z.string(), author: Actor })),
  }),
});
export type Thread = z.infer<typeof Thread>;
type Comment = Thread["comments"]["nodes"][number];

const THREADS = `query ($owner: String!, $name: String!, $number: Int!) { ${COST} viewer { login }
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(last: 100) { nodes { ${THREAD_FIELDS} } } } } }`;
const Threads = z.object({
  viewer: z.object({ login: z.string() }),
  repository: z.object({ pullRequest: z.object({ reviewThreads: z.object({ nodes: z.array(Thread) }) }) }),
});

const REPLY = `mutation ($id: ID!, $body: String!) {
  addPullRequestReviewThreadReply(input: { pullRequestReviewThreadId: $id, body: $body }) { comment { id } } }`;
const RESOLVE = "mutation ($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { id } } }";

/** Between a thread's id and that of its newest words, in neither of which it can occur. */
const BETWEEN = "@";

/** A thread up to these words. With new words, it is another one: they have not been answered. */
export function threadId({ id }: Thread, newest: Comment | undefined): string {
  return `${id}${BETWEEN}${newest?.id ?? ""}`;
}

/** The comments of a thread that count: those of people who have a say, of bots, and our own. */
export function countingWords({ comments }: Thread, self: string): readonly Comment[] {
  return comments.nodes.filter((comment) => isSame(comment.author, self) || hasSay(comment));
}

/** The newest comment of somebody else who has a say. */
export function newestWords(thread: Thread, self: string): Comment | undefined {
  return countingWords(thread, self).findLast(({ author }) => !isSame(author, self));
}

/** Whose words an agent is given (GraphQL's CommentAuthorAssociation). On a public repository everybody can write. */
const TRUSTED: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

/** True for people of the repository, and for bots, which its people have installed. */
export function hasSay({ author, authorAssociation }: { readonly author: Actor; readonly authorAssociation: string }): boolean {
  return isBot(author) || TRUSTED.has(authorAssociation);
}

/** GitHub's own type for bots; the suffix is what its REST API gives them. */
export function isBot(author: Actor): boolean {
  return author?.__typename === "Bot" || /\[bot\]$/.test(author?.login ?? "");
}

/** True if this is the token's own user. GraphQL leaves out the suffix of bots, but not in the name of the viewer. */
export function isSame(author: Actor, self: string): boolean {
  const bare = (login: string) => login.replace(/\[bot\]$/, "").toLowerCase();
  return author !== null && bare(author.login) === bare(self);
}

/** The author's login, safe for a terminal. GitHub shows accounts that are gone as "ghost". */
export function plainLogin(author: Actor): string {
  return plainText(author?.login ?? "ghost", 60);
}

/**
 * Answers threads, and resolves those of bots. It looks first: what was answered after the words that are meant, or is resolved, is
 * left as it is.
 */
export async function answerThreads(
  repository: GitHubRepository,
  number: number,
  { threads, text }: { readonly threads: readonly { readonly id: string; readonly isBot: boolean }[]; readonly text: string },
): Promise<void> {
  if (threads.length === 0) return;
  const now = await repository.query("read the review threads", Threads, { text: THREADS, variables: { number } });
  const byId = new Map(now.repository.pullRequest.reviewThreads.nodes.map((thread) => [thread.id, thread]));
  const body = boundedHead(text, MAX_ANSWER);
  for (const asked of threads) {
    const [id = "", words = ""] = asked.id.split(BETWEEN);
    const thread = byId.get(id);
    if (thread === undefined || thread.isResolved) continue;
    if (!hasAnswer(thread, words, now.viewer.login))
      await repository.mutate("answer the review thread", Anything, { text: REPLY, variables: { id, body } });
    if (asked.isBot) await repository.mutate("resolve the review thread", Anything, { text: RESOLVE, variables: { id } });
  }
}

function hasAnswer({ comments }: Thread, words: string, self: string): boolean {
  const after = comments.nodes.findIndex(({ id }) => id === words);
  return comments.nodes.slice(after + 1).some(({ author }) => isSame(author, self));
}
