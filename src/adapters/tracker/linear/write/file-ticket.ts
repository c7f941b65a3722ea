import { TicketId } from "../../../../domain/values/ids.ts";
import { plainText } from "../../../../domain/values/text.ts";
import type { FiledTicket } from "../../../../ports/tracker.ts";
import { labelsFor } from "../../service/labels.ts";
import type { FileAnswer } from "../../service/ticket-service.ts";
import type { Issue } from "../read/answers.ts";
import { isThere } from "../read/linear-issues.ts";
import { isSameMarkdown } from "../ticket/gate.ts";
import { derivedUuid } from "../ticket/uuid.ts";
import { labelId } from "./labels-and-states.ts";
import type { WriteContext } from "./set-state.ts";
import { createOnce, requireSuccess } from "./writes.ts";

const DISCOVERED = /^(.+)-d\d+$/;

/**
 * Files a discovered ticket as an issue of its parent's team and project, related to the parent. Its UUID is derived from its id,
 * so that it cannot be created twice, and is found again by any process. Throws if there is no such parent.
 */
export async function fileTicket(
  context: WriteContext & { readonly hasRepos: boolean },
  ticket: FiledTicket,
): Promise<FileAnswer> {
  const { issues } = context;
  await issues.ensureRead();
  const taken = (await issues.taken()).find((id) => id.toLowerCase() === ticket.id.toLowerCase());
  if (taken !== undefined) return existing(context, ticket, taken);
  const parent = await readParent(context, ticket.id);
  const id = await issues.discoveredUuid(ticket.id);
  await create(context, ticket, { id, parent });
  const [filed] = await issues.byIds([id]);
  if (filed === undefined) throw new Error(`Linear does not show ticket ${ticket.id} yet, which was filed`);
  issues.adopt(ticket.id, filed);
  await relate(context, ticket, { id, parent: parent.id });
  const [read = filed] = await issues.byIds([id]);
  issues.adopt(ticket.id, read);
  return { filed: asSent(issues.ticket(read), ticket.body) };
}

/** Linear rewrites Markdown. A ticket with the words that were sent reads back as it was sent. */
function asSent<T extends { readonly body: string }>(filed: T, body: string): T {
  return isSameMarkdown(filed.body, body) ? { ...filed, body } : filed;
}

async function existing(context: WriteContext, ticket: FiledTicket, taken: TicketId): Promise<FileAnswer> {
  const issue = taken === ticket.id ? await context.issues.fresh(taken) : undefined;
  if (issue === undefined) return { taken };
  const filed = context.issues.ticket(issue);
  if (filed.title !== ticket.title) return { taken };
  const uuid = await context.issues.discoveredUuid(ticket.id);
  // An earlier call may have been cut short before the relation.
  if (issue.id === uuid) await relate(context, ticket, { id: uuid, parent: (await readParent(context, ticket.id)).id });
  return { filed };
}

async function readParent({ issues }: WriteContext, id: TicketId): Promise<Issue> {
  const [, name = ""] = DISCOVERED.exec(id) ?? [];
  const parent = TicketId.safeParse(name).data;
  const uuid = parent === undefined ? undefined : issues.ticketUuid(parent);
  const [issue] = uuid === undefined ? [] : await issues.byIds([uuid]);
  if (issue !== undefined && isThere(issue)) return issue;
  throw new Error(
    `Linear cannot take ticket ${id}: there is no ticket ${plainText(name, 80) || "before its -d1"} that it was found by`,
  );
}

async function create(
  { requests, issues, hasRepos }: WriteContext & { readonly hasRepos: boolean },
  ticket: FiledTicket,
  { id, parent }: { readonly id: string; readonly parent: Issue },
): Promise<void> {
  const team = parent.team.id;
  const names = labelsFor(hasRepos ? ticket.repo : undefined, ticket.exclusive);
  const labelIds: string[] = [];
  for (const name of names) labelIds.push(await labelId(requests, name, team));
  const input = {
    id,
    teamId: team,
    title: ticket.title,
    description: ticket.body,
    projectId: parent.project !== null ? parent.project.id : undefined,
    labelIds: labelIds.length > 0 ? labelIds : undefined,
  };
  await createOnce(
    async () => requireSuccess(await requests.sdk((client) => client.createIssue(input))),
    async () => (await issues.byIds([id])).length > 0,
  );
}

/** Relates the issue to its parent, and lets the tickets block it that it depends on, as far as they do not yet. */
async function relate(
  { requests, issues }: WriteContext,
  { dependsOn = [] }: FiledTicket,
  { id, parent }: { readonly id: string; readonly parent: string },
): Promise<void> {
  const [issue] = await issues.byIds([id]);
  const { IssueRelationType } = (await import("@linear/sdk")).LinearDocument;
  const wanted = [
    { from: parent, type: IssueRelationType.Related },
    ...dependsOn.flatMap((each) => {
      const from = issues.ticketUuid(each);
      return from === undefined ? [] : [{ from, type: IssueRelationType.Blocks }];
    }),
  ];
  for (const { from, type } of wanted) {
    const isRelated = (read: Issue | undefined): boolean =>
      read?.inverseRelations.nodes.some((relation) => relation.type === type && relation.issue.id === from) === true;
    if (isRelated(issue)) continue;
    const input = { id: derivedUuid("relation", from, id, type), issueId: from, relatedIssueId: id, type };
    await createOnce(
      async () => requireSuccess(await requests.sdk((client) => client.createIssueRelation(input))),
      async () => isRelated((await issues.byIds([id]))[0]),
    );
  }
}
