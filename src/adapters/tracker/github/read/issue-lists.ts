import { z } from "zod";
import { plainText } from "../../../../domain/values/text.ts";
import { shaped } from "../../../github/client.ts";
import { LOOPDASH_LABEL } from "../marks.ts";
import type { Repository } from "../repositories.ts";
import { ListPage } from "./answers.ts";
import { type Missing, PAGE } from "./queries.ts";

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

/** Sends batches of queries to the server. */
export interface QuerySender {
  /** Fields that the server does not know. */
  readonly missing: Missing;
  readonly repositories: readonly Repository[];
  /** Owner and name of a repository as it is called now, by its index. */
  currentName(repo: number): { readonly owner: string; readonly repo: string };
  /** Sends a batch, and hands out its answer. */
  send(batch: QueryBatch): Promise<void>;
}

/** A repository by GitHub's id of it, or by its name if that is not known. */
export interface RepositoryReference {
  readonly owner: string;
  readonly repo: string;
  readonly id: string | undefined;
}

/** A variable of a query. */
interface Variable {
  readonly type: string;
  readonly value: unknown;
}

/** A part of a query with its own alias. `take` gets its value, which is null if there is no such thing. */
export interface QueryField {
  /** The index of the repository that it is in; undefined at the root. */
  readonly repo: number | undefined;
  readonly alias: string;
  readonly text: string;
  readonly variables?: Readonly<Record<string, Variable>>;
  readonly take: (value: unknown) => void;
}

/** A repository as its answer names it. */
const Answered = z.looseObject({ id: z.string(), nameWithOwner: z.string() });
const Answer = z.looseObject({ rateLimit: z.object({ cost: z.int() }).nullable() });

/** Many parts as one query, so that they cost one request. */
export class QueryBatch {
  readonly #fields: QueryField[] = [];

  add(field: QueryField): void {
    this.#fields.push(field);
  }

  get isEmpty(): boolean {
    return this.#fields.length === 0;
  }

  /** The query with those of the fragments that it uses. `referenceTo` says how a repository is found. */
  text(referenceTo: (repo: number) => RepositoryReference, fragments: readonly string[]): string {
    const parts = this.#repositories().map((repo) => {
      const inner = this.#of(repo).map(({ alias, text }) => `${alias}: ${text}`);
      if (repo === undefined) return inner.join("\n");
      const { owner, repo: name, id } = referenceTo(repo);
      const fields = ["id nameWithOwner", ...inner].join("\n");
      if (id !== undefined) return `r${repo}: node(id: ${JSON.stringify(id)}) { ... on Repository {\n${fields}\n} }`;
      return `r${repo}: repository(owner: ${JSON.stringify(owner)}, name: ${JSON.stringify(name)}) {\n${fields}\n}`;
    });
    const declared = Object.entries(this.#variables()).map(([name, { type }]) => `$${name}: ${type}`);
    const used = fragments.filter((fragment) => {
      const name = /^fragment (\w+)/.exec(fragment)?.[1];
      return this.#fields.some(({ text }) => text.includes(`...${name}`));
    });
    const head = declared.length === 0 ? "query" : `query(${declared.join(", ")})`;
    return [`${head} {`, "rateLimit { cost }", ...parts, "}", ...used].join("\n");
  }

  values(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(Object.entries(this.#variables()).map(([name, { value }]) => [name, value]));
  }

  /** Hands the answer's values to the fields that asked for them. Returns what the query cost. `named` gets each repository first. */
  take(data: unknown, named: (repo: number, answered: z.infer<typeof Answered>) => void): number {
    const answer = shaped(Answer, data);
    const insides = this.#repositories().map((repo) => {
      if (repo === undefined) return [repo, answer] as const;
      const answered = shaped(Answered, answer[`r${repo}`]);
      named(repo, answered);
      return [repo, answered] as const;
    });
    for (const [repo, inside] of insides)
      for (const { alias, take } of this.#of(repo)) take((inside as Readonly<Record<string, unknown>>)[alias]);
    return answer.rateLimit?.cost ?? 1;
  }

  #repositories(): readonly (number | undefined)[] {
    return [...new Set(this.#fields.map(({ repo }) => repo))];
  }

  #of(repo: number | undefined): readonly QueryField[] {
    return this.#fields.filter((field) => field.repo === repo);
  }

  #variables(): Readonly<Record<string, Variable>> {
    return Object.assign({}, ...this.#fields.map(({ variables }) => variables));
  }
}
