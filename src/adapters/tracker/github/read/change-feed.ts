import { z } from "zod";
import { textSha } from "../../../../domain/run/drift-fact.ts";
import { type GitHubClient, type ListRequest, shaped } from "../../../github/client.ts";
import { OVERLAP_MS } from "../../../reading-pace.ts";

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

const ListedIssue = z.object({
  number: z.int(),
  updated_at: z.string(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string() })])),
  milestone: z.object({ title: z.string() }).nullable(),
  pull_request: z.unknown().optional(),
});
const ListedComment = z.object({ id: z.number(), updated_at: z.string(), issue_url: z.string().regex(/\/(?<!\d)\d+$/) });

/** One list as it was last answered. */
interface Feed {
  readonly since: number;
  readonly etag: string | undefined;
  /** A hash of each item, by its number. */
  readonly hashes: ReadonlyMap<number, string>;
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
  #issues: Feed;
  #comments: Feed;
  /** What the lists are after the last look, once what it found was read. */
  #next: { readonly issues?: Feed; readonly comments?: Feed } = {};

  /** `from`: the server's time of the last whole reading. Milliseconds. */
  constructor(client: GitHubClient, from: number) {
    this.#client = client;
    this.#issues = { since: from - OVERLAP_MS, etag: undefined, hashes: new Map() };
    this.#comments = this.#issues;
  }

  /** The issues that changed since the last look that was acknowledged. Undefined if they are so many that everything must be read. */
  async issues(name: FullName): Promise<readonly ChangedIssue[] | undefined> {
    const { feed, fresh, isCut } = await this.#look(this.#issues, ListedIssue, ({ number }) => number, {
      route: "GET /repos/{owner}/{repo}/issues",
      parameters: { ...name, state: "all" },
    });
    this.#next = { issues: feed };
    return isCut ? undefined : fresh.filter(({ pull_request }) => pull_request === undefined).map(changedIssue);
  }

  /** The numbers of the issues on which a comment is new or edited. Undefined as above. */
  async commented(name: FullName): Promise<readonly number[] | undefined> {
    const { feed, fresh, isCut } = await this.#look(this.#comments, ListedComment, ({ id }) => id, {
      route: "GET /repos/{owner}/{repo}/issues/comments",
      parameters: name,
    });
    this.#next = { ...this.#next, comments: feed };
    return isCut ? undefined : fresh.map(({ issue_url }) => Number(/(?<!\d)\d+$/.exec(issue_url)?.[0]));
  }

  /** Says that what the last look found was read. Without this, the next look finds it again. */
  acknowledge(): void {
    this.#issues = this.#next.issues ?? this.#issues;
    this.#comments = this.#next.comments ?? this.#comments;
    this.#next = {};
  }

  /** The items of a list that differ from what it said before, and the list as it is now. */
  async #look<T extends { readonly updated_at: string }>(
    feed: Feed,
    schema: z.ZodType<T>,
    keyOf: (item: T) => number,
    {
      route,
      parameters,
    }: { readonly route: ListRequest["route"]; readonly parameters: Omit<ListRequest["parameters"], "since"> },
  ): Promise<{ readonly feed: Feed; readonly fresh: readonly T[]; readonly isCut: boolean }> {
    const since = new Date(feed.since).toISOString().replace(/\.\d+Z$/, "Z");
    const request = { route, parameters: { ...parameters, since }, etag: feed.etag, mostPages: MOST_PAGES };
    const answer = await this.#client.list(request);
    if (answer === "unchanged") return { feed, fresh: [], isCut: false };
    const items = answer.items.map((raw) => ({ item: shaped(schema, raw), hash: feedItemHash(raw) }));
    const fresh = items.filter(({ item, hash }) => feed.hashes.get(keyOf(item)) !== hash).map(({ item }) => item);
    const hashes = new Map(items.map(({ item, hash }) => [keyOf(item), hash]));
    const newest = Math.max(0, ...items.map(({ item }) => Date.parse(item.updated_at)));
    const isMoved = items.length > LONG && newest - OVERLAP_MS > feed.since;
    const moved = isMoved ? { since: newest - OVERLAP_MS, etag: undefined } : { since: feed.since, etag: answer.etag };
    return { feed: { ...moved, hashes }, fresh, isCut: answer.isCut };
  }
}

/** GitHub's numbers may be too large for a number of JavaScript; Octokit makes a bigint of them then. */
function feedItemHash(item: unknown): string {
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
