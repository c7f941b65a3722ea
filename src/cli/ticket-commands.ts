import { connectChannel, runSocketPath } from "../adapters/channel/socket-client.ts";
import type { Command } from "../domain/run/command.ts";
import type { RunEvent } from "../domain/run/event.ts";
import { reduce } from "../domain/run/reduce.ts";
import type { RunState } from "../domain/run/state.ts";
import { TicketId } from "../domain/values/ids.ts";
import { plainText } from "../domain/values/text.ts";
import { EXIT, UserError } from "../domain/values/user-error.ts";

interface EngineQuestion<T> {
  readonly command: Command;
  /** Gives the answer once an event holds it. `state` is the run after the event. What it throws rejects the question. */
  readonly readAnswer: (event: RunEvent, state: RunState) => T | undefined;
  /** Makes the error for an engine that ends before it answers; `reason` is safe for a terminal. */
  readonly refuse: (reason: string) => Error;
}

/** Sends a command to the engine of a run, and resolves with its answer. Rejects with a UserError (exit 4) if none listens. */
export async function askEngine<T>(folder: string, { command, readAnswer, refuse }: EngineQuestion<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let state: RunState | undefined;
  const client = await connectChannel({
    socketPath: runSocketPath(folder),
    onMessage(message) {
      if (message.kind === "snapshot") {
        state = message.state;
        return;
      }
      state = reduce(state, message.event);
      try {
        const answer = readAnswer(message.event, state);
        if (answer !== undefined) resolve(answer);
      } catch (error) {
        reject(error);
      }
    },
    onClose: (reason) => reject(refuse(plainText(reason, 300))),
  });
  client.send(command);
  return promise.finally(() => client.close());
}

/** Parses a ticket's id as a person typed it. Throws a UserError (exit 2). */
export function parseTicketId(text: string): TicketId {
  const id = TicketId.safeParse(text);
  if (id.success) return id.data;
  throw new UserError({
    what: `"${plainText(text, 80)}" is not a ticket id`,
    why: id.error.issues[0]?.message ?? "it has another form",
    todo: "Name a ticket of the run, as `loopdash status` shows it.",
    exitCode: EXIT.usage,
  });
}

/** Makes the error of a command that changes nothing in a run (exit 4). */
export function refused(what: string, why: string, todo = "See: loopdash status"): UserError {
  return new UserError({ what, why, todo, exitCode: EXIT.refused });
}
