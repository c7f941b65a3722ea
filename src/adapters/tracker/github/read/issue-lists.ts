import { z } from "zod";
import { plainText } from "../../../../domain/values/text.ts";
import { shaped } from "../../../github/client.ts";
import { LOOPDASH_LABEL } from "../marks.ts";
import { ListPage } from "./answers.ts";
import { PAGE } from "./queries.ts";
import type { Variable } from "./query-batch.ts";

/** A list of issues that is read page by page. */
export interface IssueList {
  /** The index of the repository that it is in; undefined if it spans several. */
  readonly repo: number | undefined;
  /** True if its issues come with all that counts, false if only with what tells discovered tickets. */
  readonly isWhole: boolean;
  /** The query's text; the names of variables, `$…_after` among them, begin with `alias`. */
  readonly text: (alias: string) => string;
  readonly variables: Readonly<Record<string, Variable>>;
  /** One page of the answer. A node's issue is the node itself, unless it is undefined. */
  readonly page: (value: unknown) => z.infer<typeof ListPage>;
}

const PAGE_INFO = "pageInfo { hasNextPage endCursor }";

/** The issues of a repository with a label or in a milestone, oldest first, so that new ones come last while pages are read. */
export function repositoryList(
  repo: number,
  by: { readonly label?: string | undefined; readonly milestone?: number | undefined },
): IssueList {
  return inRepository(repo, by, "...Ticket");
}

/** What tells discovered tickets of the issues with loopdash's label. */
export function discoveredList(repo: number): IssueList {
  return { ...inRepository(repo, { label: LOOPDASH_LABEL }, "...Marked"), isWhole: false };
}

function inRepository(
  repo: number,
  { label, milestone }: { readonly label?: string | undefined; readonly milestone?: number | undefined },
  fragment: string,
): IssueList {
  return {
    repo,
    isWhole: true,
    text: (alias) => {
      const labels = label === undefined ? "" : `, labels: [$${alias}_label]`;
      const filter = milestone === undefined ? "" : `, filterBy: { milestoneNumber: $${alias}_milestone }`;
      const order = "orderBy: { field: CREATED_AT, direction: ASC }";
      return `issues(first: ${PAGE}, after: $${alias}_after, ${order}${labels}${filter}) { total: totalCount nodes { ${fragment} } ${PAGE_INFO} }`;
    },
    variables: {
      ...(label !== undefined && { label: { type: "String!", value: label } }),
      ...(milestone !== undefined && { milestone: { type: "String", value: String(milestone) } }),
    },
    page: (value) => shaped(ListPage, value),
  };
}

/** The issues that a search finds in one repository; `text` is in GitHub's syntax. */
export function searchList(text: string): IssueList {
  return {
    repo: undefined,
    isWhole: true,
    text: (alias) =>
      `search(first: ${PAGE}, after: $${alias}_after, type: ISSUE, query: $${alias}_text) { total: issueCount nodes { ...Ticket } ${PAGE_INFO} }`,
    variables: { text: { type: "String!", value: text } },
    page(value) {
      const page = shaped(ListPage, value);
      // GitHub's documentation: a search gives 1,000 results at most.
      if (page.total > 1000)
        throw new Error(`the search "${plainText(text, 200)}" finds ${page.total} issues, and GitHub shows 1,000: narrow it`);
      return page;
    },
  };
}

const ProjectPage = ListPage.extend({
  nodes: z.array(z.object({ isArchived: z.boolean(), content: z.looseObject({}).nullable() }).nullable()),
});

/** The issues of a project, `owner/number`. Drafts, pull requests and archived items are `{}`. */
export function projectList(project: string): IssueList {
  const [owner = "", number] = project.split("/");
  return {
    repo: undefined,
    isWhole: true,
    text: (alias) => {
      const items = `items(first: ${PAGE}, after: $${alias}_after) { total: totalCount nodes { isArchived content { ...Ticket } } ${PAGE_INFO} }`;
      return `repositoryOwner(login: $${alias}_owner) { ... on ProjectV2Owner { projectV2(number: ${Number(number)}) { ${items} } } }`;
    },
    variables: { owner: { type: "String!", value: owner } },
    page(value) {
      const found = shaped(z.object({ projectV2: z.looseObject({}).nullish() }).nullable(), value)?.projectV2;
      if (found === undefined || found === null)
        throw new Error(`there is no project ${plainText(project, 60)}, or the token may not see it`);
      const { nodes, ...page } = shaped(ProjectPage, found["items"]);
      return { ...page, nodes: nodes.map((item) => (item === null || item.isArchived ? {} : (item.content ?? {}))) };
    },
  };
}
