import { z } from "zod";
import { errorMessage } from "../../../../domain/values/text.ts";
import { TrackerBusy } from "../../../../ports/tracker.ts";
import { type GitHubClient, shaped } from "../../../github/client.ts";
import { InconsistentRead, UnknownFields } from "../../../github/failures.ts";
import { type IssuePlace, issuePlaceKey, type Repository } from "../repositories.ts";
import type { GitHubIssue } from "../ticket/issue.ts";
import { type BlockerNode, BlockerPage, type CommentNode, CommentPage, type IssueNode, type MarkedNode } from "./answers.ts";
import { Collector, changedMeanwhile, type ListProgress, mustLeadOn } from "./collector.ts";
import { type IssueList, QueryBatch, type QuerySender, type RepositoryReference } from "./issue-lists.ts";
import {
  blockerFragment,
  MARKED_FRAGMENT,
  type Missing,
  morePage,
  OPTIONAL_FIELDS,
  type OptionalField,
  PAGE,
  ticketFragment,
} from "./queries.ts";
import { readNamedBlockers } from "./text-blockers.ts";

/** Readings that are tried if the issues change while they are read. */
const TRIES = 3;
/** Before a reading is tried again, and once more after that. Milliseconds. */
const WAIT_MS = 500;
/** When to come back if that does not help. Milliseconds. */
const BUSY_MS = 5000;

/** What to read: single issues, and lists of them. */
interface Ask {
  readonly places: readonly IssuePlace[];
  readonly lists?: readonly IssueList[];
}

/** What a reading found. */
export interface FoundIssues {
  readonly issues: ReadonlyMap<string, GitHubIssue>;
  /** Keys of the issues in lists. */
  readonly inLists: ReadonlySet<string>;
  /** Issues with loopdash's label, by key. */
  readonly marked: ReadonlyMap<string, IssuePlace & MarkedNode>;
}

/**
 * Reads issues with all that counts, up to 100 of them by one query. A server that does not know a field is asked without it from
 * then on. A reading never goes back in time: an issue that was updated before what is known of it comes from a server that lags
 * behind, and is read again.
 */
export class IssueReader implements QuerySender {
  readonly repositories: readonly Repository[];
  readonly #client: GitHubClient;
  readonly #missing = new Set<OptionalField>();
  /** The repositories' own ids and present names, by their index. */
  readonly #named = new Map<number, { readonly id: string; readonly owner: string; readonly repo: string }>();
  /** The newest update of each issue that was told of. Milliseconds. */
  readonly #updated = new Map<string, number>();
  /** The closings of each issue that were seen, the newest last: `updatedAt` has whole seconds, and they order what is in one. */
  readonly #closings = new Map<string, readonly string[]>();

  /** `repoIds`: GitHub's own ids of repositories that are known, by their prefixes. */
  constructor(client: GitHubClient, repositories: readonly Repository[], repoIds: Readonly<Record<string, string>> = {}) {
    this.#client = client;
    this.repositories = repositories;
    for (const [repo, { prefix, owner, name }] of repositories.entries()) {
      const id = Object.hasOwn(repoIds, prefix) ? repoIds[prefix] : undefined;
      if (id !== undefined) this.#named.set(repo, { id, owner, repo: name });
    }
  }

  /** GitHub's own ids of the repositories that were read, by their prefixes. */
  get repoIds(): ReadonlyMap<string, string> {
    return new Map([...this.#named].map(([repo, { id }]) => [(this.repositories[repo] as Repository).prefix, id]));
  }

  /** What the server does not know. */
  get missing(): Missing {
    return this.#missing;
  }

  /** Owner and name of a repository as it is called now: it may have been renamed. */
  currentName(repo: number): { readonly owner: string; readonly repo: string } {
    const { owner, name } = this.repositories[repo] as Repository;
    const named = this.#named.get(repo);
    return { owner: named?.owner ?? owner, repo: named?.repo ?? name };
  }

  /** The index of the repository with this id of GitHub's. */
  repositoryIndex(repositoryId: string): number | undefined {
    return [...this.#named].find(([, { id }]) => id === repositoryId)?.[0];
  }

  /** Takes note of an issue's update that another answer told of. */
  noteUpdate(place: IssuePlace, updatedAt: string): void {
    const key = issuePlaceKey(place);
    this.#updated.set(key, Math.max(this.#updated.get(key) ?? 0, Date.parse(updatedAt)));
  }

  /** Reads until the answers fit together. Throws a TrackerBusy if they do not three times in a row. */
  async read({ places, lists = [] }: Ask): Promise<FoundIssues> {
    const unique = [...new Map(places.map((place) => [issuePlaceKey(place), place])).values()];
    let tries = 0;
    for (;;) {
      try {
        return await this.#readOnce(unique, lists);
      } catch (error) {
        if (error instanceof UnknownFields && this.#learn(error)) continue;
        if (!(error instanceof InconsistentRead)) throw error;
        tries += 1;
        if (tries === TRIES) throw new TrackerBusy(error.message, this.#client.budget.localNow() + BUSY_MS);
        await this.#client.wait(WAIT_MS * tries);
      }
    }
  }

  /** Sends a batch, and hands out its answer. */
  async send(batch: QueryBatch): Promise<void> {
    const fragments = [ticketFragment(this.#missing), blockerFragment(this.#missing), MARKED_FRAGMENT];
    const text = batch.text((repo) => this.#referenceTo(repo), fragments);
    const data = await this.#client.query(text, batch.values()).catch((error: unknown) => {
      throw this.#goneIn(errorMessage(error)) ?? error;
    });
    const cost = batch.take(data, (repo, { id, nameWithOwner }) => {
      const [owner = "", name = ""] = nameWithOwner.split("/");
      this.#named.set(repo, { id, owner, repo: name });
    });
    this.#client.budget.spend("graphql", cost);
  }

  /** The error that names a repository which GitHub cannot find by its id; undefined if the message is of another kind. */
  #goneIn(message: string): Error | undefined {
    const gone = [...this.#named.values()].find(({ id }) => message.includes(`global id of '${id}'`));
    return (
      gone && new Error(`the repository ${gone.owner}/${gone.repo} is gone from GitHub, or the token may not see it any more`)
    );
  }

  /** A repository by its id, once that is known: if it gets another name, its old one may become another repository's. */
  #referenceTo(repo: number): RepositoryReference {
    return { ...this.currentName(repo), id: this.#named.get(repo)?.id };
  }

  /** True if there is something new to leave out. */
  #learn({ fields }: UnknownFields): boolean {
    const fresh = OPTIONAL_FIELDS.filter((field) => fields.includes(field) && !this.#missing.has(field));
    for (const field of fresh) this.#missing.add(field);
    return fresh.length > 0;
  }

  async #readOnce(places: readonly IssuePlace[], lists: readonly IssueList[]): Promise<FoundIssues> {
    const collector = new Collector(
      (id) => this.repositoryIndex(id),
      (place, node) => this.#mustBeNew(place, node),
    );
    const progress = lists.map(
      (list): ListProgress => ({ list, after: null, isOver: false, total: undefined, read: 0, keys: new Set() }),
    );
    const left = [...places];
    while (left.length > 0 || progress.some(({ isOver }) => !isOver)) {
      const batch = new QueryBatch();
      for (const place of left.splice(0, PAGE)) batch.add(collector.issueField(place));
      for (const [at, each] of progress.entries()) if (!each.isOver) batch.add(collector.pageField(each, `l${at}`));
      await this.send(batch);
    }
    const issues = await completeIssues(this, collector.nodes);
    for (const { repo, number, node } of collector.nodes.values()) this.#note({ repo, number }, node);
    return { issues, inLists: collector.inLists, marked: collector.marked };
  }

  #note(place: IssuePlace, node: IssueNode): void {
    this.noteUpdate(place, node.updatedAt);
    const [seen, last] = [this.#closings.get(issuePlaceKey(place)) ?? [], closingId(node)];
    if (last !== undefined && !seen.includes(last)) this.#closings.set(issuePlaceKey(place), [...seen, last]);
  }

  #mustBeNew(place: IssuePlace, node: IssueNode): void {
    const [seen, last] = [this.#closings.get(issuePlaceKey(place)) ?? [], closingId(node)];
    const lacksClosing = seen.length > 0 && last !== seen.at(-1) && (last === undefined || seen.includes(last));
    if (!lacksClosing && Date.parse(node.updatedAt) >= (this.#updated.get(issuePlaceKey(place)) ?? 0)) return;
    throw new InconsistentRead("GitHub answers with an older state of an issue than before");
  }
}

function closingId({ timelineItems }: IssueNode): string | undefined {
  return timelineItems.nodes.at(-1)?.id;
}

/** Further pages of single issues in one query. GitHub counts what is asked for: 100 comments each. */
const MORE_AT_ONCE = 20;

/** An issue of which some pages are still to be read; the cursors of the next ones. */
interface PartialIssue extends IssuePlace {
  readonly node: IssueNode;
  readonly comments: (CommentNode | null)[];
  readonly blockers: (BlockerNode | null)[];
  readonly next: Map<"comments" | "blockedBy" | "subIssues", string | null>;
}

/** Completes issues of which only the first pages are known, and finds what their texts name if the server knows no relations. */
async function completeIssues(
  sender: QuerySender,
  nodes: ReadonlyMap<string, IssuePlace & { readonly node: IssueNode }>,
): Promise<ReadonlyMap<string, GitHubIssue>> {
  const partial = new Map([...nodes].map(([key, each]) => [key, partialIssue(each, sender.missing)]));
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

function partialIssue({ repo, number, node }: IssuePlace & { readonly node: IssueNode }, missing: Missing): PartialIssue {
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
