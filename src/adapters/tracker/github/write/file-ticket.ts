import type { GitHubSpec } from "../../../../domain/batch/tracker-spec.ts";
import type { RepoId, TicketId } from "../../../../domain/values/ids.ts";
import type { FiledTicket } from "../../../../ports/tracker.ts";
import { LostAnswer } from "../../../github/failures.ts";
import { labelsFor } from "../../service/labels.ts";
import type { FileAnswer, ServiceTicket } from "../../service/ticket-service.ts";
import { LOOPDASH_LABEL, withTrailer } from "../marks.ts";
import type { Snapshots } from "../read/snapshots.ts";
import { keyOf, type Place } from "../repositories.ts";
import type { UnconfirmedWrites } from "./unconfirmed-writes.ts";
import type { Writer } from "./writer.ts";

/** What filing needs. */
interface FilingContext {
  readonly snapshots: Snapshots;
  readonly writer: Writer;
  readonly unconfirmed: UnconfirmedWrites;
  readonly wait: (ms: number) => Promise<void>;
  readonly options: { readonly spec: GitHubSpec; readonly repos: readonly RepoId[] };
}

/** Reads of a new issue until it is there, and the time between two. Milliseconds. */
const [READS, READ_WAIT_MS] = [4, 500];

/**
 * Opens an issue for a discovered ticket, in the repository that it changes, or its parent's. Its dependencies are in its text, so
 * that they are there as soon as the issue is. Should an older issue have the same mark, because a read lagged behind a write whose
 * answer was lost, the new one is closed and loses the mark.
 */
export async function fileTicket(context: FilingContext, ticket: FiledTicket): Promise<FileAnswer> {
  const { snapshots, unconfirmed } = context;
  const { id } = ticket;
  const known = await findFiled(context, id);
  if (known !== undefined) {
    unconfirmed.clear(`issue ${id}`);
    return known.id === id && known.title === ticket.title ? { filed: known } : { taken: known.id };
  }
  unconfirmed.mustBeSettled(`issue ${id}`);
  const place = await open(context, ticket);
  snapshots.ids.addFiled(id, place);
  for (let read = 1; ; read += 1) {
    const filed = await findFiled(context, id);
    const oldest = snapshots.placeOf(id);
    if (filed !== undefined && oldest !== undefined && keyOf(oldest) !== keyOf(place)) {
      snapshots.ids.forgetDiscovered(place);
      await context.writer.withdraw(place, textOf(context, ticket, place.repo));
    }
    if (filed !== undefined) return filed.title === ticket.title ? { filed } : { taken: id };
    if (read === READS) throw new LostAnswer(`GitHub opened an issue for ${id} and does not show it`);
    await context.wait(READ_WAIT_MS);
  }
}

/** The ticket of this id but for its case, as it is now. */
async function findFiled({ snapshots }: FilingContext, id: TicketId): Promise<ServiceTicket | undefined> {
  const tickets = await snapshots.take("whole");
  const same = [...tickets.keys()].find((each) => each.toLowerCase() === id.toLowerCase());
  if (same !== undefined) return tickets.get(same);
  const other = snapshots.ids.discovered(id);
  if (other === undefined) return undefined;
  snapshots.ids.addFiled(other.id, other);
  return (await snapshots.fresh(other.id))?.ticket;
}

async function open(context: FilingContext, ticket: FiledTicket): Promise<Place> {
  const { writer, unconfirmed, options } = context;
  const { id, title, exclusive = [] } = ticket;
  const repo = homeOf(context, ticket);
  const repoLabel = options.spec.repos === undefined && options.repos.length > 1 ? ticket.repo : undefined;
  const labels = [LOOPDASH_LABEL, ...labelsFor(repoLabel, exclusive)];
  try {
    const number = await writer.open(repo, { title, body: textOf(context, ticket, repo), labels });
    unconfirmed.clear(`issue ${id}`);
    return { repo, number };
  } catch (error) {
    if (error instanceof LostAnswer) unconfirmed.add(`issue ${id}`);
    throw error;
  }
}

function textOf({ snapshots }: FilingContext, { id, body, note, dependsOn = [] }: FiledTicket, repo: number): string {
  const parent = parentOf(id);
  const foundAt = parent === undefined ? undefined : snapshots.placeOf(parent);
  const linked = (place: Place): string => {
    const { owner, repo: name } = snapshots.reader.nameOf(place.repo);
    return place.repo === repo ? `#${place.number}` : `${owner}/${name}#${place.number}`;
  };
  const first = dependsOn.map((each) => {
    const place = snapshots.placeOf(each);
    if (place === undefined) throw new Error(`GitHub: ${id} cannot wait for ${each}, which is no ticket there`);
    return linked(place);
  });
  return withTrailer(body, { id, note, foundAt: foundAt === undefined ? undefined : linked(foundAt), dependsOn: first });
}

/** The ticket at whose work this one was found: `app-7` of `app-7-d1`. */
function parentOf(id: TicketId): TicketId | undefined {
  const parent = id.replace(/-d\d+$/, "");
  return parent === id ? undefined : (parent as TicketId);
}

/** The index of the repository in which an issue for the ticket is opened. */
function homeOf({ snapshots, options }: FilingContext, { id, repo }: FiledTicket): number {
  const { repositories } = snapshots.reader;
  const named = options.spec.repos === undefined ? -1 : repositories.findIndex(({ prefix }) => prefix === repo);
  if (named !== -1) return named;
  const parent = parentOf(id);
  const place = parent === undefined ? undefined : snapshots.placeOf(parent);
  if (place !== undefined) return place.repo;
  if (repositories.length === 1) return 0;
  throw new Error(`GitHub: no repository for ${id}: "repos" of the tracker does not name ${repo}`);
}
