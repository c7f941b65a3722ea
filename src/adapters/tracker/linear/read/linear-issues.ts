import type { LinearSpec } from "../../../../domain/batch/tracker-spec.ts";
import type { RepoId, TicketId } from "../../../../domain/values/ids.ts";
import { plainText } from "../../../../domain/values/text.ts";
import { OVERLAP_MS, WHOLE_EVERY } from "../../../reading-pace.ts";
import type { ServiceTicket } from "../../service/ticket-service.ts";
import type { Cost } from "../client/budget.ts";
import { LinearRefusal } from "../client/failures.ts";
import type { LinearRequests } from "../client/requests.ts";
import { linearTicket, listBlockers, type TicketContext, waitsFor } from "../ticket/ticket.ts";
import { TicketIds } from "../ticket/ticket-ids.ts";
import { type Issue, IssueIdAnswer } from "./answers.ts";
import { ISSUE_ID } from "./documents.ts";
import {
  changedSince,
  type IssueFilter,
  isIdentifier,
  listedFilter,
  matchAny,
  queryFilter,
  refuseUnknownNames,
  withIds,
} from "./issue-filter.ts";
import { IssueReader, lastChange, newest } from "./issue-reader.ts";

/** The batch's issues, and how they become tickets. */
export interface LinearIssuesOptions {
  readonly requests: LinearRequests;
  readonly spec: LinearSpec;
  readonly listed: readonly TicketId[];
  readonly repos: readonly RepoId[];
}

/** Issues by their UUIDs. */
type Issues = Map<string, Issue>;

/**
 * The batch's issues, as they were last read. An issue that the query has found once stays among them as long as this object
 * lives, whatever its team, labels and state become: only archived and deleted ones are gone.
 */
export class LinearIssues {
  readonly #options: LinearIssuesOptions;
  readonly #reader: IssueReader;
  readonly #ids: TicketIds;
  /** UUIDs of possible discoveries that were asked for. */
  #asked = new Set<string>();
  /** Listed ids that were looked for one by one. */
  readonly #sought = new Set<TicketId>();
  /** When issues outside the batch last changed: blockers, and archived ones. */
  readonly #outside = new Map<string, string>();
  #issues: Issues | undefined;
  /** The server's time of the last reading. Milliseconds since the epoch. */
  #readAt: number | undefined;
  #base: IssueFilter | undefined;
  #calls = 0;
  #cost: { readonly whole?: Cost; readonly changes?: Cost } = {};

  constructor(options: LinearIssuesOptions, reader = new IssueReader(options.requests)) {
    this.#options = options;
    this.#reader = reader;
    this.#ids = new TicketIds(options.listed);
  }

  /** The same issues with their tickets listed, as they were last read; undefined unless all of these tickets were. */
  handOver(listed: readonly TicketId[]): LinearIssues | undefined {
    const issues = this.#issues;
    if (issues === undefined || !listed.every((id) => issues.has(this.#ids.ticketUuid(id) ?? ""))) return undefined;
    const own = new LinearIssues({ ...this.#options, listed }, this.#reader);
    for (const [id, uuid] of this.#ids.keys) own.#ids.name(uuid, id);
    for (const [uuid, stamp] of this.#outside) own.#outside.set(uuid, stamp);
    own.#asked = new Set(this.#asked);
    own.#issues = new Map(issues);
    own.#readAt = this.#readAt;
    own.#calls = this.#calls;
    own.#cost = this.#cost;
    return own;
  }

  /** What the last readings took. */
  get cost(): { readonly whole?: Cost; readonly changes?: Cost } {
    return this.#cost;
  }

  /** The UUIDs of the teams whose issues were read. */
  get teams(): ReadonlySet<string> {
    return new Set([...(this.#issues?.values() ?? [])].map(({ team }) => team.id));
  }

  /** The UUIDs of the tickets that were told of. */
  get keys(): ReadonlyMap<TicketId, string> {
    return new Map(this.#ids.keys);
  }

  /** All tickets, in the order of their ids. If it throws, the last reading counts. */
  async read(how: "whole" | "changes"): Promise<ReadonlyMap<TicketId, ServiceTicket>> {
    const { requests } = this.#options;
    const isWhole = how === "whole" || this.#issues === undefined || this.#calls + 1 >= WHOLE_EVERY;
    requests.count();
    const issues = isWhole || this.#issues === undefined ? await this.#readAll() : await this.#readChanges(this.#issues);
    this.#issues = issues;
    this.#readAt = requests.servedAt;
    this.#calls = isWhole ? 0 : this.#calls + 1;
    this.#cost = { ...this.#cost, [isWhole ? "whole" : "changes"]: requests.cost };
    return this.tickets();
  }

  /** All tickets as they were last read, in the order of their ids. */
  tickets(): ReadonlyMap<TicketId, ServiceTicket> {
    const order = new Intl.Collator("en", { numeric: true });
    const tickets = [...(this.#issues?.values() ?? [])]
      .map((issue) => this.ticket(issue))
      .sort((a, b) => order.compare(a.id, b.id));
    return new Map(tickets.map((ticket) => [ticket.id, ticket]));
  }

  /** Reads everything, unless that was done. */
  async ensureRead(): Promise<void> {
    if (this.#issues === undefined) await this.read("whole");
  }

  /** The issue of a ticket as it is now; undefined if there is none, or it is archived. */
  async fresh(id: TicketId): Promise<Issue | undefined> {
    await this.ensureRead();
    const uuid = this.#ids.ticketUuid(id);
    if (uuid === undefined) return undefined;
    const [issue] = await this.#reader.byIds([uuid]);
    this.#issues?.delete(uuid);
    if (issue === undefined || !isThere(issue)) return undefined;
    this.#issues?.set(uuid, issue);
    return issue;
  }

  /** The issue of a ticket as it was last read; undefined if it was not. */
  known(id: TicketId): Issue | undefined {
    return this.#issues?.get(this.#ids.ticketUuid(id) ?? "");
  }

  /** Issues by their UUIDs as they are now, archived ones too. */
  byIds(uuids: readonly string[]): Promise<readonly Issue[]> {
    return this.#reader.byIds(uuids);
  }

  /** Takes an issue into the batch under an id. */
  adopt(id: TicketId, issue: Issue): void {
    this.#ids.name(issue.id, id);
    this.#issues?.set(issue.id, issue);
  }

  /** An issue of the batch as a ticket. */
  ticket(issue: Issue): ServiceTicket {
    const id = this.#ids.ticketIdByUuid(issue.id);
    if (id === undefined) throw new Error(`Linear's issue ${plainText(issue.identifier, 80)} is not one of the batch's`);
    return linearTicket(id, issue, this.#context(this.#issues));
  }

  /** The UUID of a ticket; undefined if it was not told of. */
  ticketUuid(id: TicketId): string | undefined {
    return this.#ids.ticketUuid(id);
  }

  /** The UUID that a ticket has which loopdash files. */
  async discoveredUuid(id: TicketId): Promise<string> {
    return this.#ids.discoveredUuid(id, await this.#organization());
  }

  /** All ids of tickets and of their discoveries, also of archived ones. */
  async taken(): Promise<readonly TicketId[]> {
    await this.ensureRead();
    this.#asked = new Set();
    await this.#findDiscoveries(this.#issues ?? new Map());
    return [...this.#ids.keys.keys()];
  }

  /** Frees what was read. The ids stay. */
  forget(): void {
    this.#issues = undefined;
    this.#base = undefined;
    this.#outside.clear();
  }

  #context(issues: Issues | undefined): TicketContext {
    return { ...this.#options, idOf: (uuid) => (issues?.has(uuid) === true ? this.#ids.ticketIdByUuid(uuid) : undefined) };
  }

  async #organization(): Promise<string> {
    return (await this.#options.requests.me()).organization;
  }

  async #readAll(): Promise<Issues> {
    const discoveries = this.#ids.discoveries([...this.#ids.keys.keys(), ...this.#options.listed], await this.#organization());
    const known = new Set([...this.#ids.keys.values(), ...discoveries.keys()]);
    const filter = matchAny([await this.#baseFilter(), ...(known.size > 0 ? [withIds([...known])] : [])]);
    const issues: Issues = new Map();
    await this.#add(await this.#reader.matching(filter), issues);
    this.#asked = known;
    await this.#findMoved(issues);
    await this.#findDiscoveries(issues);
    if (issues.size === 0 && this.#options.listed.length === 0)
      await refuseUnknownNames(this.#options.spec, this.#options.requests);
    return issues;
  }

  async #readChanges(last: Issues): Promise<Issues> {
    const waiting = this.#waiting(last);
    const about = matchAny([await this.#baseFilter(), withIds([...this.#ids.keys.values(), ...waiting.keys()])]);
    const since = this.#since(last);
    const filter = since === undefined ? about : { and: [about, changedSince(since.toISOString())] };
    const changes = await this.#reader.changes(filter);
    const { stamps } = changes;
    const changed = new Set([...stamps].flatMap(([uuid, stamp]) => this.#touched(uuid, stamp, { last, waiting })));
    const issues: Issues = new Map([...last].filter(([uuid]) => !changed.has(uuid)));
    if (changed.size > 0) {
      await this.#add(await this.#reader.changed([...changed], changes), issues);
      await this.#findDiscoveries(issues);
    }
    for (const [uuid, stamp] of stamps) if (!issues.has(uuid)) this.#outside.set(uuid, stamp);
    return issues;
  }

  /** From when on changes are asked for, by the server's own times. */
  #since(last: Issues): Date | undefined {
    const newestStamp = last.size === 0 ? undefined : Date.parse(newest([...last.values()].map(lastChange)));
    const readAt = this.#readAt ?? newestStamp;
    return readAt === undefined ? undefined : new Date(readAt - OVERLAP_MS);
  }

  /** The issues that must be read again because of a change of one. */
  #touched(
    uuid: string,
    stamp: string,
    { last, waiting }: { readonly last: Issues; readonly waiting: ReadonlyMap<string, readonly string[]> },
  ): readonly string[] {
    const issue = last.get(uuid);
    if (issue !== undefined) return lastChange(issue) === stamp ? [] : [uuid];
    if (this.#outside.get(uuid) === stamp) return [];
    return waiting.get(uuid) ?? [uuid];
  }

  /** The blockers outside the batch that tickets wait for, with the UUIDs of those tickets. */
  #waiting(issues: Issues): ReadonlyMap<string, readonly string[]> {
    const waiting = new Map<string, string[]>();
    for (const issue of issues.values())
      for (const { id } of waitsFor(listBlockers(issue), this.#context(issues)))
        waiting.set(id, [...(waiting.get(id) ?? []), issue.id]);
    return waiting;
  }

  async #baseFilter(): Promise<IssueFilter> {
    const { listed, spec, requests } = this.#options;
    this.#base ??= listed.length > 0 ? listedFilter(listed) : await queryFilter(spec, requests);
    return this.#base;
  }

  async #add(found: readonly Issue[], issues: Issues): Promise<void> {
    this.#ids.nameAll(found, await this.#organization());
    for (const issue of found) if (isThere(issue)) issues.set(issue.id, issue);
  }

  /** Looks for discoveries of all tickets that were not looked for yet, and for those of what it finds. */
  async #findDiscoveries(issues: Issues): Promise<void> {
    for (;;) {
      const parents = [...this.#ids.keys.keys(), ...this.#options.listed];
      const discoveries = this.#ids.discoveries(parents, await this.#organization());
      const unknown = [...discoveries.keys()].filter(
        (uuid) => !this.#asked.has(uuid) && this.#ids.ticketIdByUuid(uuid) === undefined,
      );
      if (unknown.length === 0) return;
      await this.#add(await this.#reader.existing(unknown), issues);
      for (const uuid of unknown) this.#asked.add(uuid);
    }
  }

  /** Listed tickets that moved to another team before this object lived: Linear finds an issue by its earlier identifiers. */
  async #findMoved(issues: Issues): Promise<void> {
    for (const id of this.#options.listed) {
      if (this.#ids.ticketUuid(id) !== undefined || this.#sought.has(id) || !isIdentifier(id)) continue;
      this.#sought.add(id);
      const found = await this.#issueNamed(id);
      if (found === undefined || ![found.identifier, ...found.previousIdentifiers].includes(id)) continue;
      await this.#add(await this.#reader.byIds([found.id]), issues);
    }
  }

  async #issueNamed(id: TicketId): Promise<Pick<Issue, "id" | "identifier" | "previousIdentifiers"> | undefined> {
    try {
      return (await this.#options.requests.query(ISSUE_ID, { id }, IssueIdAnswer)).issue;
    } catch (error) {
      // Linear refuses the id of an issue that does not exist.
      if (error instanceof LinearRefusal) return undefined;
      throw error;
    }
  }
}

/** True unless the issue is archived or in the trash. */
export function isThere({ archivedAt, trashed }: Pick<Issue, "archivedAt" | "trashed">): boolean {
  return archivedAt === null && trashed !== true;
}
