import { SecretUnavailable } from "@loopdash/model-gateway";
import type { FrozenProgramOptions } from "../../adapters/oracle/frozen-oracle.ts";
import { readServiceTickets } from "../../adapters/tracker/service/service-tracker.ts";
import type { HandedOver, TicketService } from "../../adapters/tracker/service/ticket-service.ts";
import type { FolderTicket } from "../../domain/batch/merge-folder.ts";
import { TOKEN_OF, type TrackerSpec } from "../../domain/batch/tracker-spec.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { AskedPlace } from "../../ports/oracle.ts";
import { type Tracker, TrackerBusy } from "../../ports/tracker.ts";
import type { RunSecrets } from "./run-secrets.ts";

/** A tracker that answers requests: Linear, GitHub, or a program of the user. */
export interface OutsideTracker {
  /** The tickets that the batch lists, or that its query selects now. */
  readonly service: TicketService;
  /**
   * The same tracker for a run: these tickets and no others, whatever the query selects by then. If all of them were read already, it
   * goes on from there, and `tickets` has them. `place` is the place that was frozen with the run: its repositories are known by their
   * ids, whatever they are called by now.
   */
  readonly serviceOf: (tickets: readonly TicketId[], place?: AskedPlace) => Pick<HandedOver, "service"> & Partial<HandedOver>;
  /**
   * The place that the oracle reads, as it is frozen with a run of these tickets. A service must have been read. Throws a UserError
   * (exit 4) if there is no such program.
   */
  readonly freeze: (tickets: readonly TicketId[]) => Promise<AskedPlace>;
  /** What the oracle reads that place with. */
  readonly oracleAccess: Pick<FrozenProgramOptions, "tracker" | "service">;
  /** Tells of changes while a webhook is received (`listen`); absent if the batch has none. */
  readonly watch?: Tracker["watch"];
  /**
   * Receives the webhook until it is closed. Throws a UserError (exit 4) if it has no secret, or its port cannot be had. Absent if the
   * batch has none.
   */
  readonly listen?: () => Promise<{ close(): Promise<void> }>;
  /** Ends requests that an engine left under way when it was killed: a late write would cover a person's. */
  readonly endLeft: () => Promise<void>;
  /** The secrets of the batch; undefined if it names none. */
  readonly secrets: RunSecrets | undefined;
}

/** Where the batch file lies, and the environment that its secrets and programs are found in. */
export interface TrackerSurroundings {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The tickets of a tracker, for reading a batch. Throws a UserError as `refuseUnread` does if it does not give them. */
export async function readOutsideTickets(
  { service }: OutsideTracker,
  kind: TrackerSpec["kind"],
): Promise<readonly FolderTicket[]> {
  return readServiceTickets(service).catch((cause: unknown) => refuseUnread(cause, kind));
}

/** Throws the error of a request to a tracker as one that a person can fix: exit 3, or 4 if its token is missing or unfit, as for any other secret. */
export function refuseUnread(cause: unknown, kind: TrackerSpec["kind"]): never {
  if (cause instanceof UserError) throw cause;
  const isWithoutToken = cause instanceof SecretUnavailable;
  throw new UserError({
    what: "the tracker cannot be read",
    why: errorMessage(cause),
    todo: isWithoutToken ? NO_TOKEN : cause instanceof TrackerBusy ? BUSY : remedyFor(kind),
    exitCode: isWithoutToken ? EXIT.refused : EXIT.unjudged,
    cause,
  });
}

const NO_TOKEN = 'Set that variable, or name another secret in tracker.token ("secrets" says where its value comes from).';
const BUSY = "Try again later: a start does not wait for a rate limit, and a run does.";

/** What a person does about a tracker that cannot be read or judged. */
export function remedyFor(kind: TrackerSpec["kind"]): string {
  switch (kind) {
    case "command":
      return "Correct what it names, or run its program with `snapshot` yourself; `loopdash tracker check -- PROGRAM` tries the protocol.";
    case "local":
      return "Fix the ticket file that it names; keep its front matter to plain `key: value` lines.";
    default: {
      const service = kind === "linear" ? "Linear" : "GitHub";
      const token = `the secret in tracker.token, else the variable ${TOKEN_OF[kind].variable}`;
      return `If ${service} is away, start again once it is back. Else correct what is named above; the token is ${token} (docs/use/trackers.md).`;
    }
  }
}
