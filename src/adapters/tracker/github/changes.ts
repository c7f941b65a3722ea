import { z } from "zod";
import { textSha } from "../../../domain/run/drift-fact.ts";
import { type GitHubClient, type ListRequest, shaped } from "./client.ts";

/** How far a list reaches back before what was read last, for clocks that differ. Milliseconds. */
const OVERLAP_MS = 5 * 60_000;
/** A list that has grown longer than this is asked for from a later time on. */
const LONG = 50;
/** Pages of one list that are read; with more changes than that, everything is read. */
const MOST_PAGES = 10;

/** An issue as a list of changes gives it. */
export interface ChangedIssue {
  readonly number: number;
  readonly updatedAt: string;
  readonly labels: readonly string[];
  readonly milestone: string | undefined;
}

/** What changed in a repository: issues, and the numbers of issues on which a comment is new, edited or gone. */
export interface Changes {
  readonly issues: readonly ChangedIssue[];
  readonly commented: readonly number[];
}

const ListedIssue = z.object({
  number: z.int(),
  updated_at: z.string(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string() })])),
  milestone: z.object({ title: z.string() }).nullable(),
  pull_request: z.unknown().optional(),
});
const ListedComment = z.object({ id: z.number(), updated_at: z.string(), issue_url: z.string().regex(/\/\d+$/) });

/** One list as it was last answered. */
interface Feed {
  since: number;
  etag: string | undefined;
  /** A hash of each item, by its number. */
  readonly hashes: Map<number, string>;
}

/** Owner and name of a repository. */
interface FullName {
  readonly owner: string;
  readonly repo: string;
}

/**
 * What changed in one repository since the last look: its issues, and the comments of its issues, because nobody promises that an
 * edited comment updates its issue. Both lists are asked for by If-None-Match, and an answer "304 Not Modified" costs nothing of the
 * budget: a quiet repository is watched for free. So the address must stay the same, and its `since` moves only when the list has
 * grown long. Items are compared as a whole, for `updated_at` has whole seconds. Pull requests are left out.
 */
export class ChangeFeed {
  readonly #client: GitHubClient;
  readonly #issues: Feed;
  readonly #comments: Feed;

  /** `from`: the server's time of the last whole reading. Milliseconds. */
  constructor(client: GitHubClient, from: number) {
    this.#client = client;
    this.#issues = { since: from - OVERLAP_MS, etag: undefined, hashes: new Map() };
    this.#comments = { since: from - OVERLAP_MS, etag: undefined, hashes: new Map() };
  }

  /** Undefined if so much changed that all is to be read. */
  async changes(name: FullName): Promise<Changes | undefined> {
    const issues = await this.#fresh(this.#issues, ListedIssue, ({ number }) => number, {
      route: "GET /repos/{owner}/{repo}/issues",
      parameters: { ...name, state: "all" },
    });
    const comments = await this.#fresh(this.#comments, ListedComment, ({ id }) => id, {
      route: "GET /repos/{owner}/{repo}/issues/comments",
      parameters: name,
    });
    if (issues === undefined || comments === undefined) return undefined;
    return {
      issues: issues.filter(({ pull_request }) => pull_request === undefined).map(changedIssue),
      commented: comments.map(({ issue_url }) => Number(/\d+$/.exec(issue_url)?.[0])),
    };
  }

  /** The items of a list that differ from what it said before. */
  async #fresh<T extends { readonly updated_at: string }>(
    feed: Feed,
    schema: z.ZodType<T>,
    keyOf: (item: T) => number,
    {
      route,
      parameters,
    }: { readonly route: ListRequest["route"]; readonly parameters: Omit<ListRequest["parameters"], "since"> },
  ): Promise<readonly T[] | undefined> {
    const { etag } = feed;
    const since = new Date(feed.since).toISOString().replace(/\.\d+Z$/, "Z");
    const answer = await this.#client.list({ route, parameters: { ...parameters, since }, etag, mostPages: MOST_PAGES });
    if (answer === "unchanged") return [];
    const items = answer.items.map((raw) => ({ item: shaped(schema, raw), hash: hashOf(raw) }));
    const fresh = items.filter(({ item, hash }) => feed.hashes.get(keyOf(item)) !== hash);
    for (const { item, hash } of items) feed.hashes.set(keyOf(item), hash);
    feed.etag = answer.etag;
    const newest = Math.max(0, ...items.map(({ item }) => Date.parse(item.updated_at)));
    if (items.length > LONG && newest - OVERLAP_MS > feed.since)
      Object.assign(feed, { since: newest - OVERLAP_MS, etag: undefined });
    return answer.isCut ? undefined : fresh.map(({ item }) => item);
  }
}

/** GitHub's numbers may be too large for a number of JavaScript; Octokit makes a bigint of them then. */
function hashOf(item: unknown): string {
  return textSha(JSON.stringify(item, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)));
}

function changedIssue({ number, updated_at, labels, milestone }: z.infer<typeof ListedIssue>): ChangedIssue {
  return {
    number,
    updatedAt: updated_at,
    labels: labels.map((label) => (typeof label === "string" ? label : label.name)),
    milestone: milestone?.title,
  };
}
