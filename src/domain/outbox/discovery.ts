import { defaultFinishLine } from "../batch/default-finish.ts";
import type { Batch, Ticket } from "../batch/schema.ts";
import { textSha } from "../run/drift-fact.ts";
import { type RunState, ticketById } from "../run/state.ts";
import { plannedTicket } from "../schedule/plan.ts";
import { TicketId } from "../values/ids.ts";
import { plainLines, plainText } from "../values/text.ts";
import type { Discovery } from "./schema.ts";

/** Bounds of a worker's words: those of the outbox (title 200, body 16,000 and reason 1,000 characters), and lines. */
const MAX_TITLE = 200;
const MAX_REASON = 1_000;
const MAX_LINES = 1_000;
const MAX_ID = 64;
/** Digits of the hash in the id of a discovery whose finder has a long one. */
const HASH = 8;

/** The ruling on a discovery: the ticket for the batch, or the reason for refusing it, in words for the next attempt. */
export type Admission = { readonly ok: true; readonly ticket: Ticket } | { readonly ok: false; readonly why: string };

/**
 * Rules on a ticket that the worker on `finder` reports. Only title, body and repository are the worker's. The engine sets the
 * id, which nobody uses (`taken` are the tracker's ids and file names beyond the batch), and the finish line, which is the
 * batch's and never the finder's (adversary cases B9, B10). The ticket waits for no other, so it makes no cycle.
 */
export function admitDiscovery(state: RunState, finder: TicketId, discovery: Discovery, taken: Iterable<string> = []): Admission {
  const { batch, plan } = state;
  const most = batch.limits.discoveries;
  if (discoveredSince(state) >= most) return refused(`the run takes no more: at most ${most} (limits.discoveries)`);
  const title = plainText(discovery.title, MAX_TITLE).trim();
  if (title === "") return refused("its title shows nothing");
  const found = plannedTicket(plan, finder);
  const repo = discovery.repo ?? found.repo;
  if (!Object.hasOwn(batch.repos, repo)) {
    return refused(`the batch has no repository "${repo}"; it has ${Object.keys(batch.repos).slice(0, 20).join(", ")}`);
  }
  const words = folded(title);
  const same = plan.tickets.find((ticket) => folded(ticket.title) === words);
  if (same !== undefined) return refused(`${same.id} of the batch has this title already`);
  const id = discoveredId(finder, [...plan.tickets.map((ticket) => ticket.id), ...taken]);
  const ticket = { id, title, body: discoveryBody(finder, discovery), repo, dependsOn: [], exclusive: [] };
  const waits = repo !== found.repo && batch.discoveries?.otherRepositories !== true;
  const origin = { foundBy: finder, fromRepo: waits ? found.repo : undefined };
  return { ok: true, ticket: { ...ticket, finish: defaultFinishLine(batch, repo), ...origin } };
}

/** The number of tickets that workers have added to the run. */
export function discoveredSince({ batch, plan }: RunState): number {
  return plan.tickets.slice(batch.tickets.length).filter(({ foundBy }) => foundBy !== undefined).length;
}

/** The tickets of a run that the batch file did not name: found by workers or added by people, also in an earlier run, in order. */
export function joinedTickets({ plan }: RunState): readonly Ticket[] {
  return plan.tickets.filter(({ foundBy, added }) => foundBy !== undefined || added === true);
}

/**
 * The id of a found ticket: its finder's with "-d" and the first free number, at most 64 characters. If it gets too long, the found
 * ticket is named after the ticket at which its finder was found; and if nobody found it, a hash of its id takes the place of its end,
 * so that long ids that begin alike have discoveries of their own. Ids that differ only in case clash, because they name folders and
 * branches.
 */
export function discoveredId(finder: TicketId, taken: Iterable<string>): TicketId {
  const used = new Set<string>();
  for (const id of taken) used.add(id.toLowerCase());
  for (let n = 1; ; n += 1) {
    const end = `-d${n}`;
    const id = discoveryIdStem(finder, MAX_ID - end.length) + end;
    if (!used.has(id.toLowerCase())) return TicketId.parse(id);
  }
}

/** The beginning of a discovery's id, at most `most` characters. */
function discoveryIdStem(finder: string, most: number): string {
  if (finder.length <= most) return finder;
  const first = finder.replace(/-d\d+$/, "");
  if (first !== finder) return discoveryIdStem(first, most);
  const hash = `-${textSha(finder.toLowerCase()).slice(0, HASH)}`;
  return finder.slice(0, most - hash.length) + hash;
}

/**
 * The batch of a new run: with the tickets that workers found, and people added, in an earlier run. A ticket folder holds them too,
 * but not the rules that they were added with.
 */
export function withEarlier(batch: Batch, earlier: RunState, isThere: (id: TicketId) => boolean): Batch {
  const own = new Set(batch.tickets.map((ticket) => ticket.id.toLowerCase()));
  const all = joinedTickets(earlier);
  if (all.length === 0) return batch;
  const found = all.filter(({ id, repo }) => !own.has(id.toLowerCase()) && Object.hasOwn(batch.repos, repo) && isThere(id));
  const known = new Set<string>([...batch.tickets, ...found].map((ticket) => ticket.id));
  const ids = new Set<string>(all.map(({ id }) => id).filter((id) => known.has(id)));
  const before = new Map<string, Ticket>(all.map((ticket) => [ticket.id, ticket]));
  const waits = new Map(earlier.plan.tickets.map((t) => [t.id, t.dependsOn.filter((dep) => ids.has(dep))]));
  const tickets = batch.tickets.map((t) => {
    const dependsOn = [...new Set([...t.dependsOn, ...(waits.get(t.id) ?? []).filter((dep) => dep !== t.id)])];
    return { ...withRules(batch, t, before.get(t.id)), dependsOn };
  });
  const isLetIn = ({ id }: Ticket) => batch.discoveries?.otherRepositories === true || ticketById(earlier, id).history.length > 0;
  const grown = found.map((t) => ({
    ...t,
    ...(isLetIn(t) && { fromRepo: undefined }),
    dependsOn: t.dependsOn.filter((dep) => known.has(dep)),
    finish: t.added ? t.finish : defaultFinishLine(batch, t.repo),
  }));
  return { ...batch, tickets: [...tickets, ...grown] };
}

/** A ticket of the batch with the rules by which it joined an earlier run, unless the batch gives it rules of its own. */
function withRules(batch: Batch, ticket: Ticket, before: Ticket | undefined): Ticket {
  const hasRules = ticket.allow !== undefined || ticket.fixes !== undefined;
  const isUsual = JSON.stringify(ticket.finish) === JSON.stringify(defaultFinishLine(batch, ticket.repo));
  if (before === undefined || hasRules || !isUsual) return ticket;
  const { added, foundBy, allow, fixes, finish, exclusive } = before;
  return {
    ...ticket,
    exclusive: [...new Set([...ticket.exclusive, ...exclusive])],
    ...(added && { added, finish }),
    ...(foundBy && { foundBy }),
    ...(allow && { allow }),
    ...(fixes && { fixes }),
  };
}

function refused(why: string): Admission {
  return { ok: false, why };
}

/** The form in which two titles are equal to people: without case, spaces, and the form of a letter (Unicode UAX 15). */
function folded(title: string): string {
  return title.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

/** The body with the finder and its reason. The tracker and the next worker know nothing else about them. */
function discoveryBody(finder: TicketId, { body, reason }: Discovery): string {
  const lines = plainLines(body, { maxLines: MAX_LINES });
  const found = `Found by the worker on ${finder}: ${plainText(reason, MAX_REASON).trim()}`;
  return [...lines, ...(lines.length === 0 ? [] : [""]), found].join("\n");
}
