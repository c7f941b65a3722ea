import type { GitHubSpec } from "../../../../domain/batch/tracker-spec.ts";
import type { RepoId, TicketId } from "../../../../domain/values/ids.ts";
import type { GitHubClient } from "../../../github/client.ts";
import { WHOLE_EVERY } from "../../../reading-pace.ts";
import type { ServiceTicket } from "../../service/ticket-service.ts";
import { LOOPDASH_LABEL } from "../marks.ts";
import { type IssuePlace, issuePlaceKey, parseIssuePlace } from "../repositories.ts";
import type { GitHubIssue } from "../ticket/issue.ts";
import { type GitHubTicketContext, issueTicket } from "../ticket/ticket.ts";
import { type IdentifiedIssues, TicketIds } from "../ticket/ticket-ids.ts";
import { BatchQuery } from "./batch-query.ts";
import { type ChangedIssue, ChangeFeed } from "./change-feed.ts";
import { discoveredList } from "./issue-lists.ts";
import type { IssueReader } from "./issue-reader.ts";

/** An issue, and the ticket that it is. */
export interface IssueAndTicket {
  readonly issue: GitHubIssue;
  readonly ticket: ServiceTicket;
}

/** What the batch is about. */
export interface SnapshotOptions {
  readonly spec: GitHubSpec;
  readonly listed: readonly TicketId[];
  readonly repos: readonly RepoId[];
}

/**
 * Reads the batch's tickets. A whole reading is one query for up to 100 tickets, and a second one if a ticket has more comments than
 * come with it, dropped out of the query or was just discovered. Between whole readings, `changes` watches each repository for free
 * (change-feed.ts) and reads only issues that changed, or that wait for one that did: one query for all of them. That makes two requests
 * for a repository: the list of issues, and either the query or, if none changed, the list of comments. What only that list tells of, an
 * edited comment, is read the next time. Searches and projects
 * are always read whole, because no change of an issue tells that it entered one. What happens to issues of other repositories, for
 * which a ticket waits, is noticed by the next whole reading: each twentieth is one.
 */
export class Snapshots {
  readonly ids: TicketIds;
  readonly reader: IssueReader;
  readonly #client: GitHubClient;
  readonly #options: SnapshotOptions;
  readonly #query: BatchQuery;
  #issues: ReadonlyMap<string, GitHubIssue> = new Map();
  #feeds: readonly ChangeFeed[] = [];
  /** The server's time from which on the lists of changes tell. Milliseconds. */
  #since = 0;
  /** Issues with comments that changed, which are to be read the next time. */
  #due: readonly IssuePlace[] = [];
  #readings = 0;
  #identified: IdentifiedIssues | undefined;
  #tickets: ReadonlyMap<TicketId, ServiceTicket> = new Map();

  constructor(client: GitHubClient, reader: IssueReader, options: SnapshotOptions) {
    this.#client = client;
    this.#options = options;
    this.reader = reader;
    this.ids = new TicketIds(reader.repositories, options.listed);
    this.#query = new BatchQuery(options.spec, reader);
  }

  /** The tickets as they were last read. */
  get tickets(): ReadonlyMap<TicketId, ServiceTicket> {
    return this.#tickets;
  }

  /** The same tickets, listed, as they were last read; undefined unless all of them were. */
  handOver(listed: readonly TicketId[]): Snapshots | undefined {
    if (this.#identified === undefined || !listed.every((id) => this.#tickets.has(id))) return undefined;
    const own = new Snapshots(this.#client, this.reader, { ...this.#options, listed });
    own.ids.takeDiscovered(this.ids);
    own.#keep(this.#issues);
    own.#watchFrom(this.#since);
    return listed.every((id) => own.#tickets.has(id)) ? own : undefined;
  }

  /** The batch's tickets. */
  async take(how: "whole" | "changes"): Promise<ReadonlyMap<TicketId, ServiceTicket>> {
    this.#readings += 1;
    try {
      const canTell = this.ids.isListed || this.#query.judgesIssues;
      const isWhole = how === "whole" || this.#identified === undefined || !canTell || this.#readings % WHOLE_EVERY === 0;
      if (isWhole || !(await this.#readChanges())) await this.#readAll();
      if (!isWhole) for (const feed of this.#feeds) feed.acknowledge();
    } finally {
      this.#client.budget.endReading();
    }
    return this.#tickets;
  }

  /** One ticket as it is now; undefined if there is none. */
  async fresh(id: TicketId): Promise<IssueAndTicket | undefined> {
    if (this.#identified === undefined) await this.#readAll();
    const place = this.#identified?.places.get(id);
    if (place === undefined) return undefined;
    await this.#readPlaces([place]);
    const [issue, ticket] = [this.#issues.get(issuePlaceKey(place)), this.#tickets.get(id)];
    return issue === undefined || ticket === undefined ? undefined : { issue, ticket };
  }

  /** Where a ticket's issue is, of the batch or not; undefined if its id names none. */
  issuePlace(id: TicketId): IssuePlace | undefined {
    return this.#identified?.places.get(id) ?? this.ids.discovered(id) ?? parseIssuePlace(id, this.reader.repositories);
  }

  /** Reads these issues anew. What is not there any more is forgotten. */
  async #readPlaces(places: readonly IssuePlace[]): Promise<void> {
    const { issues } = await this.reader.read({ places });
    const gone = new Set(places.map(issuePlaceKey).filter((key) => !issues.has(key)));
    this.#enter(issues);
    this.#keep(new Map([...[...this.#issues].filter(([key]) => !gone.has(key)), ...issues]));
  }

  /** GitHub's ids of the issues of tickets. */
  keys(): ReadonlyMap<TicketId, string> {
    const places = [...(this.#identified?.places ?? [])];
    return new Map(places.map(([id, place]) => [id, this.#issues.get(issuePlaceKey(place))?.node.id ?? ""]));
  }

  /** Frees what was read. */
  forget(): void {
    this.#issues = new Map();
    this.#tickets = new Map();
    this.#identified = undefined;
    this.#feeds = [];
    this.#due = [];
  }

  async #readAll(): Promise<void> {
    const { ids, reader } = this;
    const lists = [...reader.repositories.keys()].map(discoveredList);
    const asked = ids.isListed ? ids.places() : [];
    const query = ids.isListed ? [] : await this.#query.lists();
    const found = await reader.read({ places: asked, lists: [...lists, ...query] });
    // The time of the answer: what changes from now on is in the lists of changes.
    const from = this.#client.budget.serverNow();
    for (const marked of found.marked.values()) ids.noteMark(marked, marked);
    for (const key of found.inLists) {
      const issue = found.issues.get(key);
      if (issue !== undefined && this.#query.matches(issueTraits(issue))) ids.addMember(issue);
    }
    const known = new Set([...asked.map(issuePlaceKey), ...found.issues.keys()]);
    if (!ids.isListed && ids.places().length === 0) await this.#query.refuseUnknownNames();
    const more = ids.places().filter((place) => !known.has(issuePlaceKey(place)));
    const rest = more.length === 0 ? new Map<string, GitHubIssue>() : (await reader.read({ places: more })).issues;
    this.#keep(new Map([...found.issues, ...rest]));
    this.#due = [];
    if (this.#feeds.length === 0) this.#watchFrom(from);
  }

  #watchFrom(since: number): void {
    this.#since = since;
    this.#feeds = this.reader.repositories.map(() => new ChangeFeed(this.#client, since));
  }

  /** False if so much changed that all must be read. */
  async #readChanges(): Promise<boolean> {
    const touched = [...this.#due];
    for (const [repo, feed] of this.#feeds.entries()) {
      const issues = await feed.issues(this.reader.currentName(repo));
      if (issues === undefined) return false;
      touched.push(...this.#touchedBy(repo, issues));
    }
    if (touched.length === 0) return this.#lookAtComments();
    await this.#readPlaces(touched);
    this.#due = [];
    return true;
  }

  async #lookAtComments(): Promise<boolean> {
    const due: IssuePlace[] = [];
    for (const [repo, feed] of this.#feeds.entries()) {
      const commented = await feed.commented(this.reader.currentName(repo));
      if (commented === undefined) return false;
      due.push(...commented.map((number) => ({ repo, number })).filter((place) => this.ids.concerns(place)));
    }
    this.#due = due;
    return true;
  }

  /** Issues that must be read anew: tickets that changed, those that wait for an issue that did, and those that are new. */
  #touchedBy(repo: number, issues: readonly ChangedIssue[]): readonly IssuePlace[] {
    const changed = new Set(issues.map(({ number }) => number));
    const waiting = [...this.#issues.values()].filter(({ blockers }) =>
      blockers.some(
        (each) => each !== undefined && changed.has(each.number) && this.reader.repositoryIndex(each.repository.id) === repo,
      ),
    );
    const own = issues.filter((issue) => this.#mayConcern(repo, issue));
    for (const { number, updatedAt } of own) this.reader.noteUpdate({ repo, number }, updatedAt);
    return [...waiting, ...own.map(({ number }) => ({ repo, number }))];
  }

  #mayConcern(repo: number, issue: ChangedIssue): boolean {
    const { number, labels } = issue;
    const isNew = !this.ids.isListed && this.#query.matches(issue);
    return isNew || this.ids.concerns({ repo, number }) || labels.some((label) => label.toLowerCase() === LOOPDASH_LABEL);
  }

  #enter(issues: ReadonlyMap<string, GitHubIssue>): void {
    for (const issue of issues.values()) {
      this.ids.noteMark(issue, issue.node);
      if (!this.ids.isListed && this.#query.judgesIssues && this.#query.matches(issueTraits(issue))) this.ids.addMember(issue);
    }
  }

  #keep(issues: ReadonlyMap<string, GitHubIssue>): void {
    const { spec, repos } = this.#options;
    const identified = this.ids.identify(issues);
    const context: GitHubTicketContext = {
      spec,
      repos,
      ids: identified.ids,
      prefixes: this.reader.repositories.map(({ prefix }) => prefix),
      indexOf: (repositoryId) => this.reader.repositoryIndex(repositoryId),
    };
    const tickets = [...identified.places].map(([id, place]) => {
      const issue = issues.get(issuePlaceKey(place)) as GitHubIssue;
      return [id, issueTicket(id, issue, context)] as const;
    });
    this.#tickets = new Map(tickets);
    this.#issues = issues;
    this.#identified = identified;
  }
}

function issueTraits({ node }: GitHubIssue): { readonly labels: readonly string[]; readonly milestone: string | undefined } {
  return { labels: node.labels.nodes.map(({ name }) => name), milestone: node.milestone?.title };
}
