import type { SnapshotTicket } from "./definition.ts";
import { GITHUB_DOCUMENT, GITHUB_PAGE, githubTickets } from "./github.ts";
import { LINEAR_DOCUMENT, LINEAR_PAGE, linearTickets } from "./linear.ts";
import { ask } from "./service.ts";
import type { ServicePlace, ServiceReading } from "./service-reading.ts";
import { CannotJudge } from "./shape.ts";

const READERS = {
  linear: { document: LINEAR_DOCUMENT, page: LINEAR_PAGE, tickets: linearTickets },
  github: { document: GITHUB_DOCUMENT, page: GITHUB_PAGE, tickets: githubTickets },
};

/** Readings of several pages until two in a row are the same. */
const READINGS = 5;

/**
 * The tickets as they were at one instant. One answer of the service is one instant. If it takes several, all are read again until
 * nothing has changed between two readings. Throws CannotJudge.
 */
export function readService(place: ServicePlace, batch: readonly string[]): readonly SnapshotTicket[] {
  const keys = batch.flatMap((id) => place.keys.get(id) ?? []);
  const idOf = new Map([...place.keys].map(([id, key]) => [key, id]));
  if (idOf.size !== place.keys.size) throw new CannotJudge("two tickets of the batch have the same key");
  const { page } = READERS[place.kind];
  const pages = Array.from({ length: Math.ceil(keys.length / page) }, (_, at) => keys.slice(at * page, (at + 1) * page));
  let before: string | undefined;
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const { tickets, stamp } = readOnce(place, pages, (key) => idOf.get(key));
    if (pages.length < 2 || stamp === before) return tickets;
    before = stamp;
  }
  throw new CannotJudge("the tracker kept changing while it was read");
}

function readOnce(
  { kind, canceled, repos, repoIds }: ServicePlace,
  pages: readonly (readonly string[])[],
  idOf: ServiceReading["idOf"],
): { readonly tickets: readonly SnapshotTicket[]; readonly stamp: string } {
  const { document, tickets } = READERS[kind];
  const stamps: string[] = [];
  const all = pages.flatMap((ids) => tickets(ask(document, ids), { canceled, repos, repoIds, idOf, stamps }));
  return { tickets: all, stamp: `${stamps.sort().join("\n")}\n${JSON.stringify(all)}` };
}
