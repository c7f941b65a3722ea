import { connectChannel, runSocketPath } from "../adapters/channel/socket-client.ts";
import type { Outage } from "../domain/run/outage-fact.ts";
import { hasErrorCode } from "../domain/values/text.ts";
import { UserError } from "../domain/values/user-error.ts";

/** How long an engine may take for its first message, in milliseconds. */
const ANSWER_MS = 3_000;

/**
 * Asks the engine of a run if its journal can be written, because the journal itself cannot tell. Gives the outage, undefined without
 * one, or `unknown` if no engine answers.
 */
export async function journalOutage(folder: string, ms = ANSWER_MS): Promise<Outage | "unknown" | undefined> {
  const { promise, resolve } = Promise.withResolvers<Outage | "unknown" | undefined>();
  const late = setTimeout(() => resolve("unknown"), ms);
  try {
    const client = await connectChannel({
      socketPath: runSocketPath(folder),
      onMessage: (message) => {
        if (message.kind === "snapshot") resolve(message.state.outages?.journal);
      },
      onClose: () => resolve("unknown"),
    });
    return await promise.finally(() => client.close());
  } catch (error) {
    // Nothing listens there, or the engine is about to.
    if (error instanceof UserError || hasErrorCode(error, "ENOENT")) return "unknown";
    throw error;
  } finally {
    clearTimeout(late);
  }
}
