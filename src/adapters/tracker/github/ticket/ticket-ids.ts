import type { TicketId } from "../../../../domain/values/ids.ts";
import { markedId, rootTicket } from "../marks.ts";
import { type IssuePlace, issuePlaceKey, parseIssuePlace, type Repository } from "../repositories.ts";
import type { GitHubIssue } from "./issue.ts";

/** The issues that are tickets of the batch, with their ids. */
export interface IdentifiedIssues {
  /** The ids of the batch's tickets, by the keys of their issues: listed ones first, discovered ones last. */
  readonly ids: ReadonlyMap<string, TicketId>;
  readonly places: ReadonlyMap<TicketId, IssuePlace>;
}

/**
 * Which issues are tickets of the batch, and their ids. An issue that was once in the query stays, whatever people change: a search
 * for open issues must not lose one that is done. A discovered ticket has the id in its mark, unless the batch lists its issue by
 * number; of two issues with the same mark the older one counts.
 */
export class TicketIds {
  readonly #repositories: readonly Repository[];
  readonly #listed: ReadonlySet<TicketId>;
  /** The places that the batch lists, by their keys. */
  readonly #listedPlaces: ReadonlyMap<string, IssuePlace>;
  /** Keys of issues that were in the query. */
  readonly #members = new Map<string, IssuePlace>();
  /** Discovered tickets by their keys, of the batch or not. A mark that was once seen counts, even if somebody writes below it. */
  readonly #discovered = new Map<string, IssuePlace & { readonly id: TicketId }>();
  /** Ids that were filed here. */
  readonly #filed = new Set<TicketId>();

  constructor(repositories: readonly Repository[], listed: readonly TicketId[]) {
    this.#repositories = repositories;
    this.#listed = new Set(listed);
    const places = listed.map((id) => parseIssuePlace(id, repositories)).filter((place) => place !== undefined);
    this.#listedPlaces = new Map(places.map((place) => [issuePlaceKey(place), place]));
  }

  /** True if the batch lists its tickets, so that no query is needed. */
  get isListed(): boolean {
    return this.#listed.size > 0;
  }

  /** Adds an issue that the query has found. */
  addMember(place: IssuePlace): void {
    this.#members.set(issuePlaceKey(place), place);
  }

  /** Notes an issue as a discovered ticket if it is one: the token's own user opened it, and its last line is the mark. */
  noteMark(
    { repo, number }: IssuePlace,
    { body, viewerDidAuthor }: { readonly body: string; readonly viewerDidAuthor: boolean },
  ): void {
    const id = viewerDidAuthor ? markedId(body) : undefined;
    const key = issuePlaceKey({ repo, number });
    if (id !== undefined && !this.#listedPlaces.has(key)) this.#discovered.set(key, { repo, number, id });
  }

  /** Takes over the discovered tickets that another one has seen. */
  takeDiscovered(other: TicketIds): void {
    for (const [key, each] of other.#discovered) if (!this.#listedPlaces.has(key)) this.#discovered.set(key, each);
  }

  /** Adds a ticket that was just filed: it is the batch's, whatever its id. */
  addFiled(id: TicketId, place: IssuePlace): void {
    this.#filed.add(id);
    this.#discovered.set(issuePlaceKey(place), { ...place, id });
  }

  /** Forgets that an issue was a discovered ticket. */
  forgetDiscovered(place: IssuePlace): void {
    this.#discovered.delete(issuePlaceKey(place));
  }

  /** True if the issue is a ticket of the batch, or may be one. */
  concerns(place: IssuePlace): boolean {
    const key = issuePlaceKey(place);
    return this.#listedPlaces.has(key) || this.#members.has(key) || this.#discovered.has(key);
  }

  /** The issues that must be read for the batch, as far as is known. */
  places(): readonly IssuePlace[] {
    const own = this.#ownIds();
    const found = [...this.#discovered.values()].filter((each) => this.#belongs(each.id, own));
    return [...this.#listedPlaces.values(), ...this.#members.values(), ...found];
  }

  /** The id of a discovered ticket, of the batch or not, that is the same but for its case; and its place. */
  discovered(id: TicketId): (IssuePlace & { readonly id: TicketId }) | undefined {
    return this.#oldest().find((each) => each.id.toLowerCase() === id.toLowerCase());
  }

  /** Ids of all discovered tickets that were seen. */
  discoveredIds(): readonly TicketId[] {
    return this.#oldest().map(({ id }) => id);
  }

  /** The ids of those issues that are tickets of the batch. */
  identify(issues: ReadonlyMap<string, GitHubIssue>): IdentifiedIssues {
    const places = new Map<TicketId, IssuePlace>();
    const own = this.#ownIds();
    for (const place of [...this.#listedPlaces.values(), ...this.#members.values()]) {
      const key = issuePlaceKey(place);
      if (issues.has(key) && !this.#discovered.has(key)) places.set(this.#plainId(place), place);
    }
    for (const each of this.#oldest()) {
      const isMember = this.#members.has(issuePlaceKey(each)) || this.#belongs(each.id, own);
      if (isMember && issues.has(issuePlaceKey(each)) && !places.has(each.id)) places.set(each.id, each);
    }
    return { places, ids: new Map([...places].map(([id, place]) => [issuePlaceKey(place), id])) };
  }

  /** Ids of the batch's tickets that people opened. */
  #ownIds(): ReadonlySet<string> {
    const places = [...this.#listedPlaces.values(), ...this.#members.values()];
    return new Set(places.filter((place) => !this.#discovered.has(issuePlaceKey(place))).map((place) => this.#plainId(place)));
  }

  #belongs(id: TicketId, own: ReadonlySet<string>): boolean {
    const root = rootTicket(id);
    return this.#filed.has(id) || this.#listed.has(id) || root === undefined || own.has(root);
  }

  #plainId({ repo, number }: IssuePlace): TicketId {
    return `${this.#repositories[repo]?.prefix}-${number}` as TicketId;
  }

  /** Discovered tickets, one for each id: the one that was opened first. */
  #oldest(): readonly (IssuePlace & { readonly id: TicketId })[] {
    const sorted = [...this.#discovered.values()].sort((a, b) => a.repo - b.repo || a.number - b.number);
    return sorted.filter(({ id }, at) => sorted.findIndex((each) => each.id === id) === at);
  }
}
