import { z } from "zod";
import { shaped } from "../../../github/client.ts";
import type { Place } from "../repositories.ts";
import type { Issue } from "../ticket/issue.ts";
import { type BlockerNode, BlockerPage, type CommentNode, CommentPage, type IssueNode } from "./answers.ts";
import { changedMeanwhile, mustLeadOn } from "./collector.ts";
import { type Missing, morePage } from "./queries.ts";
import { QueryBatch, type QuerySender } from "./query-batch.ts";
import { readNamedBlockers } from "./text-blockers.ts";

/** Further pages of single issues in one query. GitHub counts what is asked for: 100 comments each. */
const MORE_AT_ONCE = 20;

/** An issue of which some pages are still to be read; the cursors of the next ones. */
interface PartialIssue extends Place {
  readonly node: IssueNode;
  readonly comments: (CommentNode | null)[];
  readonly blockers: (BlockerNode | null)[];
  readonly next: Map<"comments" | "blockedBy" | "subIssues", string | null>;
}

/** Completes issues of which only the first pages are known, and finds what their texts name if the server knows no relations. */
export async function completeIssues(
  sender: QuerySender,
  nodes: ReadonlyMap<string, Place & { readonly node: IssueNode }>,
): Promise<ReadonlyMap<string, Issue>> {
  const partial = new Map([...nodes].map(([key, each]) => [key, partialOf(each, sender.missing)]));
  for (;;) {
    const open = [...partial.values()].filter(({ next }) => next.size > 0).slice(0, MORE_AT_ONCE);
    if (open.length === 0) break;
    const batch = new QueryBatch();
    for (const each of open) addPages(batch, each, sender);
    await sender.send(batch);
  }
  const named = await readNamedBlockers(sender, nodes);
  return new Map(
    [...partial].map(([key, { repo, number, node, comments, blockers }]) => {
      const all = [...blockers.map((blocker) => blocker ?? undefined), ...(named.get(key) ?? [])];
      return [key, { repo, number, node, comments: comments.filter((comment) => comment !== null), blockers: all }];
    }),
  );
}

function partialOf({ repo, number, node }: Place & { readonly node: IssueNode }, missing: Missing): PartialIssue {
  const next: PartialIssue["next"] = new Map();
  const { comments } = node;
  if (comments.pageInfo.hasPreviousPage) next.set("comments", comments.pageInfo.startCursor);
  const blockers = (["blockedBy", "subIssues"] as const).flatMap((field) => {
    if (missing.has(field)) return [];
    const { nodes, pageInfo } = shaped(z.record(z.literal(field), BlockerPage), { [field]: node[field] })[field];
    if (pageInfo.hasNextPage) next.set(field, pageInfo.endCursor);
    return nodes;
  });
  return { repo, number, node, comments: [...comments.nodes], blockers, next };
}

const Further = z.looseObject({ updatedAt: z.string() }).nullable();

function addPages(batch: QueryBatch, issue: PartialIssue, { missing }: QuerySender): void {
  const { repo, number, next, node } = issue;
  const pages = [...next].map(([field, cursor]) => ({ field, cursor, name: `c${number}r${repo}${field}` }));
  batch.add({
    repo,
    alias: `n${number}`,
    text: `issue(number: ${number}) { updatedAt ${pages.map(({ field, name }) => morePage(field, `$${name}`, missing)).join(" ")} }`,
    variables: Object.fromEntries(pages.map(({ name, cursor }) => [name, { type: "String", value: cursor }])),
    take(value) {
      const further = shaped(Further, value);
      if (further?.updatedAt !== node.updatedAt) throw changedMeanwhile();
      for (const { field } of pages) takePage(issue, field, further[field]);
    },
  });
}

function takePage(
  { comments, blockers, next }: PartialIssue,
  field: "comments" | "blockedBy" | "subIssues",
  value: unknown,
): void {
  if (field === "comments") {
    const { nodes, pageInfo } = shaped(CommentPage, value);
    comments.unshift(...nodes);
    if (!pageInfo.hasPreviousPage) return void next.delete(field);
    mustLeadOn(next.get(field), pageInfo.startCursor);
    next.set(field, pageInfo.startCursor);
    return;
  }
  const { nodes, pageInfo } = shaped(BlockerPage, value);
  blockers.push(...nodes);
  if (!pageInfo.hasNextPage) return void next.delete(field);
  mustLeadOn(next.get(field), pageInfo.endCursor);
  next.set(field, pageInfo.endCursor);
}
