import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { createExecutor } from "../../adapters/executor/process-executor.ts";
import { FENCE_VARIABLE } from "../../adapters/executor/process-table.ts";
import { freezeTrackerProgram } from "../../adapters/oracle/frozen-command.ts";
import type { ListingOptions } from "../../adapters/oracle/tracker-listing.ts";
import { createProgramService } from "../../adapters/tracker/command/program-service.ts";
import { trackerProgram } from "../../adapters/tracker/command/tracker-program.ts";
import { readServiceTickets } from "../../adapters/tracker/service/service-tracker.ts";
import type { TicketService } from "../../adapters/tracker/service/ticket-service.ts";
import type { FolderTicket } from "../../domain/batch/merge-folder.ts";
import type { TrackerRequest } from "../../domain/batch/read.ts";
import type { TrackerProgramSpec } from "../../domain/batch/tracker-spec.ts";
import { textSha } from "../../domain/run/drift-fact.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { TrackerPlace } from "../../ports/oracle.ts";
import { checkTrackerProgram } from "./outside-repositories.ts";
import { type RunSecrets, secretsOf, variablesOf } from "./run-secrets.ts";
import { pathOutside } from "./safe-path.ts";

/** A tracker of a service, behind a program of the user. */
export interface OutsideTracker {
  readonly service: TicketService;
  /** Freezes the command by which the oracle reads the tracker. Throws a UserError (exit 4) if there is no such program. */
  readonly freeze: () => Promise<Extract<TrackerPlace, { kind: "command" }>>;
  /** What that command runs with. */
  readonly runsWith: Omit<ListingOptions, "signal">;
  /** Ends requests that an engine left under way when it was killed: a late write would cover a person's. */
  readonly endLeft: () => Promise<void>;
  /** The secrets of the batch; undefined if it names none. */
  readonly secrets: RunSecrets | undefined;
}

/** Default time limit of one request to a tracker's program. Seconds. */
const SECONDS = 60;

/** The tracker that a batch names, which has not been asked anything yet. `folder` is the batch file's. */
export function outsideTrackerOf(
  request: TrackerRequest,
  options: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): OutsideTracker {
  const { tracker } = request;
  if (tracker.kind === "command") return programTrackerOf({ ...request, tracker }, options);
  throw new TypeError(`${tracker.kind} is not wired`);
}

/**
 * The tracker behind the program that a batch names, which has not been asked anything yet. `folder` is the batch file's. Throws a
 * UserError (exit 4) if the program is one that agents' changes could rewrite.
 */
function programTrackerOf(
  request: TrackerRequest & { readonly tracker: TrackerProgramSpec },
  { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): OutsideTracker {
  const { tracker, repos } = request;
  checkTrackerProgram(tracker, repos, folder);
  const secrets = secretsOf(request, { folder, env });
  const allowed = allowedEnvironment(env, {});
  const PATH = pathOutside(allowed.PATH ?? "", repos) ?? "/usr/local/bin:/usr/bin:/bin";
  const marker = `tracker/${textSha(folder)}/${textSha(JSON.stringify(tracker.command))}`;
  const environment = async () => ({
    ...allowed,
    PATH,
    [FENCE_VARIABLE]: marker,
    ...(secrets === undefined ? tracker.env : await variablesOf(secrets, tracker, { batch: request, folder })),
  });
  const mask = secrets === undefined ? undefined : (text: string) => secrets.masker.text(text);
  const deadlineMs = (tracker.seconds ?? SECONDS) * 1000;
  const command = tracker.command as readonly [string, ...string[]];
  return {
    service: createProgramService(trackerProgram({ command, cwd: folder, environment, timeoutMs: deadlineMs, mask })),
    freeze: async () => ({
      kind: "command",
      program: await freezeTrackerProgram([...command, "snapshot"], { folder, path: PATH }),
      folder,
    }),
    runsWith: { environment, deadlineMs, mask },
    endLeft: async () => void (await createExecutor().killStrays({ processes: [], markers: [marker] })),
    secrets,
  };
}

/** The tickets of a tracker, for reading a batch. Throws a UserError (exit 3) if its program does not give them. */
export async function readOutsideTickets({ service }: OutsideTracker): Promise<readonly FolderTicket[]> {
  return readServiceTickets(service).catch(refuseUnread);
}

/** Throws the error of a request to a tracker's program as one that a person can fix (exit 3). */
export function refuseUnread(cause: unknown): never {
  if (cause instanceof UserError) throw cause;
  throw new UserError({
    what: "the tracker cannot be read",
    why: errorMessage(cause),
    todo: "Correct what it names, or run its program with `snapshot` yourself; `loopdash tracker check -- PROGRAM` tries the protocol.",
    exitCode: EXIT.unjudged,
    cause,
  });
}
