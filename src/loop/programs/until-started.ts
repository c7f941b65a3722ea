import type { ExecResult } from "../../ports/executor.ts";
import type { Outages } from "../concurrency/outages.ts";

type Started = Pick<ExecResult, "ending" | "message">;

class NotStarted extends Error {}

/**
 * Runs a program, and again while it cannot be started by a fault that is none of the work's: that is an outage. Gives the result
 * of the first run that began; or of the last one, if the outage was given up or the signal is aborted (then it ends as aborted).
 */
export async function untilStarted<T extends Started>(
  { outages }: { readonly outages: Outages },
  { who, signal, run }: { readonly who: string; readonly signal: AbortSignal; readonly run: () => Promise<T> },
  isFault: (result: T) => boolean = () => true,
): Promise<T> {
  let last: T | undefined;
  const call = async (): Promise<T> => {
    last = undefined;
    last = await run();
    if (last.ending === "failed-to-start" && isFault(last)) throw new NotStarted(`${who}: ${last.message ?? "no reason given"}`);
    return last;
  };
  try {
    return await outages.persist("program", call, { signal, isOutage: (error) => error instanceof NotStarted });
  } catch (error) {
    if (last === undefined) throw error;
    return signal.aborted ? { ...last, ending: "aborted" } : last;
  }
}
