import { connectChannel } from "../../adapters/channel/socket-client.ts";
import { socketPathOf } from "../../adapters/channel/socket-path.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { isLandedNotLive } from "../../domain/run/live-check.ts";
import { reduce } from "../../domain/run/reduce.ts";
import type { RunState } from "../../domain/run/state.ts";
import { TicketId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { lastRun } from "../engine/carry-over.ts";
import { type FoundRun, findRun, lookUpRun, withStore } from "../find-run.ts";
import { linePrinter } from "../lines.ts";
import { writeAll } from "../print.ts";
import { headless } from "./run.ts";

/**
 * Checks what has landed and is not live: by the run's engine if there is one, else by a new run that starts no agent. Returns 0 if
 * every check passed, or the exit code of the new run.
 */
export async function verify(name: string | undefined, only: string | undefined): Promise<number> {
  const { live, folder, row } = lookUpRun(name);
  const ticket = only === undefined ? undefined : ticketId(only);
  if (live) return byEngine(folder, ticket);
  const found = findRun(row.run);
  refuseUnfinished(found);
  refuseEarlier(found);
  const landed = landedTickets(found.state).filter((id) => ticket === undefined || id === ticket);
  if (landed.length === 0) {
    if (ticket !== undefined) throw refused(`${ticket} is not a landed ticket that is not live`, `run ${row.run} says so`);
    writeAll(1, `loopdash: every landed ticket of run ${row.run} is live\n`);
    return EXIT.done;
  }
  const request = { verb: "run", batch: row.batchPath, output: "headless", dryRun: false, fresh: false, detach: false } as const;
  return headless({ ...request, allowApiKey: false, acceptChanges: false, checksOnly: true });
}

function ticketId(text: string): TicketId {
  const id = TicketId.safeParse(text);
  if (id.success) return id.data;
  throw new UserError({
    what: `"${plainText(text, 80)}" is no ticket`,
    why: id.error.issues[0]?.message ?? "it is no ticket id",
    todo: "Name a ticket of the run, as `loopdash status` shows it.",
    exitCode: EXIT.usage,
  });
}

function landedTickets(state: RunState): readonly TicketId[] {
  return [...vecItems(state.tickets)].filter(isLandedNotLive).map(({ id }) => id);
}

/** An unfinished run would be closed by a run that only checks, and the history of its attempts with it. */
function refuseUnfinished({ row, state }: FoundRun): void {
  if (state.end !== undefined && state.end.kind !== "interrupted") return;
  throw refused(
    `the run ${row.run} is not over, and no engine is at work on it`,
    "its engine checks what has landed before anything else",
    `Go on with it: loopdash ${row.batchPath}`,
  );
}

/** Only the last run of a batch is gone on with. */
function refuseEarlier({ row }: FoundRun): void {
  const last = withStore((store) => lastRun(store, row.batchPath));
  if (last === undefined || last.run === row.run) return;
  throw refused(
    `the run ${row.run} is not the last one of its batch`,
    "a later run has taken over what it landed",
    `Check that: loopdash verify ${last.run}`,
  );
}

function refused(what: string, why: string, todo = "See: loopdash status"): UserError {
  return new UserError({ what, why, todo, exitCode: EXIT.refused });
}

/** Sends the command to a living engine, and prints the lines of the run until the checks that it started are over. */
async function byEngine(folder: string, ticket: TicketId | undefined): Promise<number> {
  const print = linePrinter("lines");
  const { promise, resolve } = Promise.withResolvers<number | string>();
  let state: RunState | undefined;
  const open = new Set<TicketId>();
  let code: number = EXIT.done;
  const take = (event: RunEvent): void => {
    if (event.type === "command-refused" && event.command.type === "verify") return resolve(event.reason);
    if (event.type === "live-check-started" && event.why === "person") return void open.add(event.ticket);
    if (event.type !== "live-check-ended" || !open.delete(event.ticket)) return;
    if (!event.ok) code = EXIT.notDone;
    if (open.size === 0) resolve(code);
  };
  const client = await connectChannel({
    socketPath: socketPathOf(folder),
    onMessage: (message) => {
      if (message.kind === "snapshot") {
        state = message.state;
        return;
      }
      state = reduce(state, message.event);
      if (message.event.type.startsWith("live-check")) print(message.event, state);
      take(message.event);
    },
    onClose: (reason) => resolve(reason),
  });
  client.send({ type: "verify", ...(ticket === undefined ? {} : { ticket }) });
  const result = await promise;
  client.close();
  if (typeof result === "number") return result;
  throw refused("nothing was checked", plainText(result, 300));
}
