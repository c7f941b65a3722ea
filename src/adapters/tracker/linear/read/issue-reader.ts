import { plainText } from "../../../../domain/values/text.ts";
import type { LinearRequests } from "../client/requests.ts";
import { ChangesAnswer, type Issue, IssuesAnswer, MoreAnswers, StampsAnswer } from "./answers.ts";
import { CHANGES, type ConnectionName, ISSUES, MORE, STAMPS } from "./documents.ts";
import { type IssueFilter, withIds } from "./issue-filter.ts";
import { LARGE, type PageSizes, SMALL } from "./page-sizes.ts";

/** Issues of one page of stamps (Linear allows 250), and of a light reading, which expects few. */
const STAMPS_OF_ALL = 250;
const STAMPS_OF_CHANGES = 50;

/** Issues that a light reading gives whole, at once: those that changed last. Each costs some 97 points, whether there is one or not. */
const NEWEST = 4;

/** UUIDs that one request asks for. */
const MAX_ASKED = 1_000;

/** Pages of one connection. More of them mean that its cursors lead in a circle. */
const MAX_PAGES = 1_000;

/** Readings of one list that was changed meanwhile. */
const MAX_READINGS = 3;

const CHANGED_MEANWHILE = `Linear's issues changed while they were read, ${MAX_READINGS} times in a row`;

const CONNECTIONS = Object.keys(MORE) as readonly ConnectionName[];

interface Pages<T> {
  readonly nodes: readonly T[];
  readonly pages: number;
}

/** Issues that changed. */
export interface Changes {
  /** When each last changed, or was last commented, by its UUID. */
  readonly stamps: ReadonlyMap<string, string>;
  /** Those of them that changed last. */
  readonly newest: readonly Issue[];
}

/**
 * Reads issues with all that belongs to them. A reading never goes back in time: an issue that was updated before what is known of it
 * comes from a copy that lags behind.
 */
export class IssueReader {
  readonly #requests: LinearRequests;
  /** The newest update of each issue. Milliseconds since the epoch. */
  readonly #updated = new Map<string, number>();

  constructor(requests: LinearRequests) {
    this.#requests = requests;
  }

  /**
   * The issues that a filter finds and that are not archived, as they were at one instant. If it takes several pages, they are
   * compared with a list of when each of them changed, and read again if something changed meanwhile. Throws if it changes again
   * and again.
   */
  async matching(filter: IssueFilter): Promise<readonly Issue[]> {
    const first = await this.#pages(filter, { sizes: SMALL, includeArchived: false });
    const issues = new Map(first.nodes.map((issue) => [issue.id, issue]));
    // With one page there is no time between two answers.
    if (first.pages === 1) return this.#completed([...issues.values()]);
    for (let reading = 0; reading < MAX_READINGS; reading += 1) {
      const now = await this.#stamps(filter, { first: STAMPS_OF_ALL, includeArchived: false });
      for (const uuid of issues.keys()) if (!now.has(uuid)) issues.delete(uuid);
      const stale = [...now].filter(([uuid, stamp]) => !isUnchangedSince(issues.get(uuid), stamp)).map(([uuid]) => uuid);
      if (stale.length === 0 && issues.size === now.size) return this.#completed([...issues.values()]);
      for (const issue of await this.#byIds(stale, SMALL)) issues.set(issue.id, issue);
    }
    throw new Error(CHANGED_MEANWHILE);
  }

  /** The issues with these UUIDs that exist, archived ones too. */
  async byIds(uuids: readonly string[]): Promise<readonly Issue[]> {
    return this.#completed(await this.#byIds(uuids, SMALL));
  }

  /** The issues that a filter finds, archived or not, when each changed, and the newest of them whole. */
  async changes(filter: IssueFilter): Promise<Changes> {
    const { history, labels, comments, attachments, inverseRelations, children } = SMALL;
    const sizes = { history, labels, comments, attachments, inverseRelations, children };
    const variables = { filter, first: STAMPS_OF_CHANGES, newest: NEWEST, ...sizes };
    const { issues, newest } = await this.#requests.query(CHANGES, variables, ChangesAnswer);
    const whole = oneOfEach(newest.nodes) ?? [];
    for (const issue of whole) this.#mustBeNew(issue);
    const { hasNextPage, endCursor } = issues.pageInfo;
    const first = issues.nodes.map((node) => [node.id, lastChange(node)] as const);
    if (!hasNextPage) return { stamps: newestStamps(first), newest: whole };
    const rest = await this.#stamps(filter, { first: STAMPS_OF_CHANGES, includeArchived: true, from: endCursor ?? undefined });
    return { stamps: newestStamps([...first, ...rest]), newest: whole };
  }

  /** Those issues that changed which are asked for, as they are now. Those that a light reading gave whole are not read again. */
  async changed(uuids: readonly string[], { stamps, newest }: Changes): Promise<readonly Issue[]> {
    const known = newest.filter((issue) => uuids.includes(issue.id) && isUnchangedSince(issue, stamps.get(issue.id)));
    const read = new Set(known.map(({ id }) => id));
    const others = uuids.filter((uuid) => !read.has(uuid));
    return this.#completed([...known, ...(await this.#byIds(others, SMALL))]);
  }

  /** Those of the issues with these UUIDs that exist, archived ones too. It costs little if few of many do. */
  async existing(uuids: readonly string[]): Promise<readonly Issue[]> {
    const there: string[] = [];
    const options = { first: STAMPS_OF_CHANGES, includeArchived: true };
    for (let at = 0; at < uuids.length; at += MAX_ASKED)
      there.push(...(await this.#stamps(withIds(uuids.slice(at, at + MAX_ASKED)), options)).keys());
    return this.byIds(there);
  }

  async #byIds(uuids: readonly string[], sizes: PageSizes & { readonly first: number }): Promise<readonly Issue[]> {
    const found = new Map<string, Issue>();
    for (let at = 0; at < uuids.length; at += sizes.first) {
      const wanted = uuids.slice(at, at + sizes.first);
      const { nodes } = await this.#pages(withIds(wanted), { sizes: { ...sizes, first: wanted.length }, includeArchived: true });
      for (const issue of nodes) if (wanted.includes(issue.id)) found.set(issue.id, issue);
    }
    return [...found.values()];
  }

  async #stamps(
    filter: IssueFilter,
    { from, ...options }: { readonly first: number; readonly includeArchived: boolean; readonly from?: string | undefined },
  ): Promise<ReadonlyMap<string, string>> {
    const { nodes } = await this.#paged(async (after) => {
      const { issues } = await this.#requests.query(STAMPS, { filter, after, ...options }, StampsAnswer);
      return issues;
    }, from);
    return newestStamps(nodes.map((node) => [node.id, lastChange(node)]));
  }

  /** The issues of all pages, each once. They are read again if two pages of the same time tell two things of one issue. */
  async #pages(
    filter: IssueFilter,
    options: { readonly sizes: PageSizes & { readonly first: number }; readonly includeArchived: boolean },
  ): Promise<Pages<Issue>> {
    const { sizes, includeArchived } = options;
    for (let reading = 0; reading < MAX_READINGS; reading += 1) {
      const { nodes, pages } = await this.#paged(async (after) => {
        const { issues } = await this.#requests.query(ISSUES, { filter, after, includeArchived, ...sizes }, IssuesAnswer);
        return issues;
      });
      const issues = oneOfEach(nodes);
      if (issues === undefined) continue;
      for (const issue of issues) this.#mustBeNew(issue);
      return { nodes: issues, pages };
    }
    throw new Error(CHANGED_MEANWHILE);
  }

  #mustBeNew({ id, identifier, updatedAt }: Issue): void {
    const [known = 0, at] = [this.#updated.get(id), Date.parse(updatedAt)];
    if (at < known) throw this.#requests.behind(`Linear shows an older state of ${plainText(identifier, 80)} than before`);
    this.#updated.set(id, at);
  }

  /** Issues whose nested pages did not hold everything are read again with larger pages, and then page by page. */
  async #completed(issues: readonly Issue[]): Promise<readonly Issue[]> {
    const short = issues.filter(isShort).map(({ id }) => id);
    const larger = new Map((await this.#byIds(short, LARGE)).map((issue) => [issue.id, issue]));
    const all: Issue[] = [];
    for (const issue of issues) {
      if (!short.includes(issue.id)) all.push(issue);
      const read = larger.get(issue.id);
      if (read !== undefined) all.push(await this.#filled(read));
    }
    return all;
  }

  async #filled(issue: Issue): Promise<Issue> {
    let filled = issue;
    for (const name of CONNECTIONS) {
      if (!issue[name].pageInfo.hasNextPage) continue;
      const { nodes } = await this.#paged((after) => this.#more(issue.id, name, after));
      filled = { ...filled, [name]: { nodes: distinct(nodes), pageInfo: { hasNextPage: false } } };
    }
    return filled;
  }

  async #more(id: string, name: ConnectionName, after: string | undefined): Promise<Page<unknown>> {
    const variables = { id, after };
    switch (name) {
      case "labels":
        return (await this.#requests.query(MORE[name], variables, MoreAnswers[name])).issue[name];
      case "comments":
        return (await this.#requests.query(MORE[name], variables, MoreAnswers[name])).issue[name];
      case "attachments":
        return (await this.#requests.query(MORE[name], variables, MoreAnswers[name])).issue[name];
      case "inverseRelations":
        return (await this.#requests.query(MORE[name], variables, MoreAnswers[name])).issue[name];
      case "children":
        return (await this.#requests.query(MORE[name], variables, MoreAnswers[name])).issue[name];
    }
  }

  async #paged<T>(ask: (after: string | undefined) => Promise<Page<T>>, from?: string): Promise<Pages<T>> {
    const nodes: T[] = [];
    let after = from;
    for (let pages = 1; pages <= MAX_PAGES; pages += 1) {
      const page = await ask(after);
      nodes.push(...page.nodes);
      const { hasNextPage, endCursor } = page.pageInfo;
      if (!hasNextPage) return { nodes, pages };
      if (endCursor === null || endCursor === after) break;
      after = endCursor;
    }
    throw new Error("Linear's answer is not what its API promises: its pages lead in a circle");
  }
}

interface Page<T> {
  readonly nodes: readonly T[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** When an issue last changed, or was last commented. */
export function lastChange({
  updatedAt,
  comments,
}: {
  readonly updatedAt: string;
  readonly comments: { readonly nodes: readonly { readonly updatedAt: string }[] };
}): string {
  return newest([updatedAt, ...comments.nodes.map((comment) => comment.updatedAt)]);
}

/** The newest of some times. */
export function newest(times: readonly string[]): string {
  return times.reduce((a, b) => (Date.parse(b) > Date.parse(a) ? b : a));
}

function newestStamps(all: Iterable<readonly [uuid: string, stamp: string]>): ReadonlyMap<string, string> {
  const stamps = new Map<string, string>();
  for (const [uuid, stamp] of all) stamps.set(uuid, newest([stamps.get(uuid) ?? stamp, stamp]));
  return stamps;
}

/**
 * Each issue once: pages may repeat one that moved while they were read, and the one that was updated last counts. Undefined if two of
 * the same time differ.
 */
function oneOfEach(issues: readonly Issue[]): readonly Issue[] | undefined {
  const found = new Map<string, Issue>();
  for (const issue of issues) if (updateTime(issue) > updateTime(found.get(issue.id))) found.set(issue.id, issue);
  const isOdd = issues.some((issue) => {
    const kept = found.get(issue.id);
    return kept !== issue && updateTime(kept) === updateTime(issue) && JSON.stringify(kept) !== JSON.stringify(issue);
  });
  return isOdd ? undefined : [...found.values()];
}

function updateTime(issue: Issue | undefined): number {
  return issue === undefined ? Number.NEGATIVE_INFINITY : Date.parse(issue.updatedAt);
}

function isUnchangedSince(issue: Issue | undefined, stamp: string | undefined): boolean {
  return issue !== undefined && lastChange(issue) === stamp;
}

/** True if a nested page did not hold everything that counts. */
function isShort(issue: Issue): boolean {
  if (CONNECTIONS.some((name) => issue[name].pageInfo.hasNextPage)) return true;
  const { state, history } = issue;
  return (
    state.type === "completed" && history.pageInfo.hasNextPage && !history.nodes.some(({ toStateId }) => toStateId === state.id)
  );
}

function distinct<T>(nodes: readonly T[]): readonly T[] {
  return [...new Map(nodes.map((node) => [JSON.stringify(node), node])).values()];
}
