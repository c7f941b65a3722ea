import { discoveredId } from "../../../../domain/outbox/discovery.ts";
import { TicketId } from "../../../../domain/values/ids.ts";
import { plainText } from "../../../../domain/values/text.ts";
import type { Issue } from "../read/answers.ts";
import { isIdentifier } from "../read/issue-filter.ts";
import { derivedUuid } from "./uuid.ts";

/** Ids after the last known discovery of a ticket that are looked for: some of them may have been deleted for good. */
const GAP = 3;

/**
 * Which issue is which ticket. An issue's first id stays, also when it moves to another team. A discovered ticket is known by its
 * UUID alone, which is derived from the organization and the ticket's id: nothing in its text matters.
 */
export class TicketIds {
  readonly #listed: readonly TicketId[];
  readonly #ids = new Map<string, TicketId>();
  readonly #uuids = new Map<TicketId, string>();
  readonly #derived = new Map<TicketId, string>();

  constructor(listed: readonly TicketId[]) {
    this.#listed = listed;
  }

  /** The UUIDs by id, archived issues too. */
  get keys(): ReadonlyMap<TicketId, string> {
    return this.#uuids;
  }

  ticketIdByUuid(uuid: string): TicketId | undefined {
    return this.#ids.get(uuid);
  }

  ticketUuid(id: TicketId): string | undefined {
    return this.#uuids.get(id);
  }

  /** Names an issue. Throws if the id is another one's. */
  name(uuid: string, id: TicketId): void {
    const other = this.#uuids.get(id);
    if (other !== undefined && other !== uuid) throw new Error(`Linear has two issues that are ticket ${id}`);
    this.#ids.set(uuid, id);
    this.#uuids.set(id, uuid);
  }

  /** Names all of some issues. Throws if one has an identifier that no ticket may have. */
  nameAll(issues: readonly Issue[], organization: string): void {
    const unnamed = new Map(issues.filter(({ id }) => !this.#ids.has(id)).map((issue) => [issue.id, issue]));
    const usual = [...unnamed.values()].flatMap((issue) => this.#usualId(issue) ?? []);
    // A discovery may have discoveries, so this is repeated until it finds no more.
    for (let before = -1; before !== unnamed.size && unnamed.size > 0; ) {
      before = unnamed.size;
      for (const [uuid, id] of this.discoveries([...this.#uuids.keys(), ...this.#listed, ...usual], organization))
        if (unnamed.delete(uuid)) this.name(uuid, id);
    }
    for (const issue of unnamed.values()) {
      const id = this.#usualId(issue);
      if (id === undefined)
        throw new Error(`Linear's issue ${plainText(issue.identifier, 80)} has an identifier that no ticket may have`);
      this.name(issue.id, id);
    }
  }

  /**
   * The UUIDs that discoveries of these tickets have: the known ones and some after them. A listed ticket that is no issue of a
   * team is one itself.
   */
  discoveries(parents: readonly TicketId[], organization: string): ReadonlyMap<string, TicketId> {
    const found = new Map<string, TicketId>();
    for (const id of this.#listed) if (!isIdentifier(id)) found.set(this.discoveredUuid(id, organization), id);
    for (const parent of new Set(parents)) {
      const tried: TicketId[] = [];
      for (let misses = 0; misses < GAP; ) {
        const id = discoveredId(parent, tried);
        tried.push(id);
        found.set(this.discoveredUuid(id, organization), id);
        misses = this.#uuids.has(id) ? 0 : misses + 1;
      }
    }
    return found;
  }

  /** The UUID of a discovered ticket. */
  discoveredUuid(id: TicketId, organization: string): string {
    const uuid = this.#derived.get(id) ?? derivedUuid("ticket", organization, id);
    this.#derived.set(id, uuid);
    return uuid;
  }

  /** The id that an issue has by its identifier: the listed one if an earlier identifier is listed. */
  #usualId({ identifier, previousIdentifiers }: Issue): TicketId | undefined {
    const isListed = this.#listed.some((id) => id === identifier);
    const former = isListed ? undefined : this.#listed.find((id) => previousIdentifiers.includes(id));
    return former ?? TicketId.safeParse(identifier).data;
  }
}
