import type { GitHubSpec } from "../../../domain/batch/tracker-spec.ts";
import { isSameState } from "../../../domain/run/drift-fact.ts";
import type { RepoId, TicketId } from "../../../domain/values/ids.ts";
import { GitHubClient } from "../../github/client.ts";
import type { TokenSource } from "../../token-source.ts";
import type { StateAnswer, StateWrite, TicketService } from "../service/ticket-service.ts";
import { IssueReader } from "./read/issue-reader.ts";
import { type IssueAndTicket, Snapshots } from "./read/snapshots.ts";
import { issuePlaceKey, listRepositories } from "./repositories.ts";
import { ownComments } from "./ticket/comments.ts";
import { planFor } from "./write/state-plan.ts";
import { UnconfirmedWrites } from "./write/unconfirmed-writes.ts";
import { fileTicket, Writer } from "./write/writer.ts";

/** What the batch says about its tracker, and the token. */
export interface GitHubServiceOptions {
  readonly spec: GitHubSpec;
  /** Ids that the batch lists; empty if its query selects the tickets. */
  readonly listed: readonly TicketId[];
  /** The batch's names of its repositories. */
  readonly repos: readonly RepoId[];
  readonly token: TokenSource;
  /** GitHub's own ids of repositories that are known, by the names that begin their tickets' ids. */
  readonly repoIds?: Readonly<Record<string, string>> | undefined;
  readonly now?: () => number;
  /** Time limit of one request. Milliseconds; default 30,000. */
  readonly timeoutMs?: number;
  /** Waits so many milliseconds; default: by the clock of the system. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Reads after a write that may show it, and the time before each but the first. Milliseconds. */
const [READ_BACKS, READ_BACK_WAIT_MS] = [4, 500];

/**
 * GitHub's issues as tickets (docs/use/trackers.md). Reads are GraphQL and conditional REST lists, writes are REST. Nothing is sent before
 * it is asked for something.
 */
export function createGitHubService(options: GitHubServiceOptions): TicketService {
  const { spec, now = Date.now, token, timeoutMs, wait } = options;
  const client = new GitHubClient({ baseUrl: spec.baseUrl, token, now, timeoutMs, wait });
  const reader = new IssueReader(client, listRepositories(spec), options.repoIds);
  return gitHubTicketService(new Snapshots(client, reader, options), client, options);
}

function gitHubTicketService(snapshots: Snapshots, client: GitHubClient, options: GitHubServiceOptions): TicketService {
  const { reader } = snapshots;
  const unconfirmed = new UnconfirmedWrites(client.budget);
  const writer = new Writer(client, reader, unconfirmed);
  return {
    name: "GitHub",
    snapshot: (how) => snapshots.take(how),
    async taken() {
      const tickets = await snapshots.take("changes");
      return [...new Set([...tickets.keys(), ...snapshots.ids.discoveredIds()])];
    },
    set: (write) => setState({ client, snapshots, writer, unconfirmed }, write),
    file: (ticket) => fileTicket({ snapshots, writer, unconfirmed, options, wait: (ms) => client.wait(ms) }, ticket),
    handOver(listed) {
      const own = snapshots.handOver(listed);
      return own && { service: gitHubTicketService(own, client, { ...options, listed }), tickets: own.tickets };
    },
    writesSent: () => client.writes,
    forget: () => snapshots.forget(),
    pauseMs: () => client.budget.pauseMs(),
    keys: () => snapshots.keys(),
    repoIds: () => reader.repoIds,
    notes: () => notesOn(reader),
  };
}

async function setState(
  {
    client,
    snapshots,
    writer,
    unconfirmed,
  }: {
    readonly client: GitHubClient;
    readonly snapshots: Snapshots;
    readonly writer: Writer;
    readonly unconfirmed: UnconfirmedWrites;
  },
  { id, state, note, from }: StateWrite,
): Promise<StateAnswer> {
  const { issue, ticket: before } = found(id, await snapshots.fresh(id));
  const isSame = isSameState(before.state, state);
  const isCanceled = issue.node.state === "CLOSED" && before.state.as !== "done";
  const isAllowed = from === undefined || (!isCanceled && from.some((known) => isSameState(known, before.state)));
  if (!isSame && !isAllowed) return { conflict: before };
  if (ownComments(issue).length > 0) unconfirmed.clear(`comment ${issuePlaceKey(issue)}`);
  const plan = planFor(issue, before.state, state, note);
  if (plan.length === 0) return { before, after: before };
  for (const step of plan) await writer.apply(issue, step);
  for (let read = 1; ; read += 1) {
    const { ticket: after } = found(id, await snapshots.fresh(id));
    // The caller refuses another state than the wanted one. A person may have set it meanwhile.
    if (isSameState(after.state, state) || read === READ_BACKS) return { before, after };
    await client.wait(READ_BACK_WAIT_MS);
  }
}

function found(id: TicketId, ticket: IssueAndTicket | undefined): IssueAndTicket {
  if (ticket === undefined) throw new Error(`GitHub: there is no ticket ${id}`);
  return ticket;
}

function notesOn({ missing }: IssueReader): readonly string[] {
  const relations = [...(missing.has("blockedBy") ? ["dependencies"] : []), ...(missing.has("subIssues") ? ["sub-issues"] : [])];
  if (relations.length === 0) return [];
  const texts = [
    ...(missing.has("blockedBy") ? ['lines such as "blocked by #12"'] : []),
    ...(missing.has("subIssues") ? ["task lists"] : []),
  ];
  return [
    `This GitHub server knows no ${relations.join(" and no ")} of issues: ${texts.join(" and ")} in their texts count instead.`,
  ];
}
