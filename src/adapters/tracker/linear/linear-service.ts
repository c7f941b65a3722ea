import type { LinearSpec } from "../../../domain/batch/tracker-spec.ts";
import type { RepoId, TicketId } from "../../../domain/values/ids.ts";
import type { TokenSource } from "../../token-source.ts";
import type { TicketService } from "../service/ticket-service.ts";
import { readingPause } from "./client/budget.ts";
import { LinearRequests } from "./client/requests.ts";
import { LinearIssues } from "./read/linear-issues.ts";
import { fileTicket } from "./write/file-ticket.ts";
import { checkDoneState } from "./write/labels-and-states.ts";
import { markStarted, setState } from "./write/set-state.ts";

/** What the service of a batch in Linear needs. */
export interface LinearServiceOptions {
  readonly spec: LinearSpec;
  /** Ids that the batch lists; empty if its query selects the tickets. */
  readonly listed: readonly TicketId[];
  /** The batch's names of its repositories. */
  readonly repos: readonly RepoId[];
  readonly token: TokenSource;
  /** Milliseconds since the epoch; default: the clock of the system. */
  readonly now?: () => number;
  /** Time limit of one request. Milliseconds; default 30,000. */
  readonly timeoutMs?: number;
}

/** Issues in Linear as the tickets of a batch. Nothing is asked, and the SDK is not loaded, before the first call. */
export function createLinearService(options: LinearServiceOptions): TicketService {
  const { spec, listed, repos, token, now = Date.now, timeoutMs } = options;
  const requests = new LinearRequests({ token, now, apiUrl: spec.apiUrl, timeoutMs });
  const issues = new LinearIssues({ requests, spec, listed, repos });
  return linearTicketService({ requests, issues, isChecked: spec.doneState === undefined }, options);
}

/** What makes a service, which it hands over to another one. */
interface Parts {
  readonly requests: LinearRequests;
  readonly issues: LinearIssues;
  /** True if the batch's done state is known to exist. */
  isChecked: boolean;
}

function linearTicketService(parts: Parts, options: LinearServiceOptions): TicketService {
  const { requests, issues } = parts;
  const { spec, repos, now = Date.now } = options;
  const context = { requests, issues, spec, hasRepos: repos.length > 1 };
  return {
    name: "Linear",
    async snapshot(how) {
      const tickets = await issues.read(how);
      if (!parts.isChecked) await checkDoneState(requests, issues.teams, spec.doneState);
      parts.isChecked = true;
      return tickets;
    },
    taken: () => issues.taken(),
    set: (write) => setState(context, write),
    markStarted: (id) => markStarted(context, id),
    file: (ticket) => fileTicket(context, ticket),
    handOver(listed) {
      const own = issues.handOver(listed);
      return own && { service: linearTicketService({ ...parts, issues: own }, { ...options, listed }), tickets: own.tickets() };
    },
    writesSent: () => requests.writes,
    forget: () => issues.forget(),
    pauseMs: () => readingPause(requests.budget, issues.cost, now()),
    keys: () => issues.keys,
  };
}
