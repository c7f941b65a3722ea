import { type SerialQueue, serialQueue } from "../../../domain/values/serial-queue.ts";
import type { GitCall, GitResult } from "./git-call.ts";
import { GitSession } from "./git-session.ts";

/** A queue of questions of one kind, and the session that answers them now. */
interface Desk {
  readonly queue: SerialQueue;
  open: number;
  session: GitSession | undefined;
}

/** By the start options of their sessions. Only those with a session or an open question are in it. */
const desks = new Map<string, Desk>();

/**
 * Asks the session of this call, and starts one if there is none. If a session ends without an answer, the question is put once
 * to a new session.
 */
export async function runInSession(cwd: string, call: GitCall, protocol: NonNullable<GitCall["session"]>): Promise<GitResult> {
  const key = JSON.stringify([cwd, { ...call, input: undefined }]);
  const desk = desks.get(key) ?? { queue: serialQueue(), open: 0, session: undefined };
  desks.set(key, desk);
  const tidy = (): void => {
    const idle = desk.open === 0 && desk.session?.open !== true;
    if (idle && desks.get(key) === desk) desks.delete(key);
  };
  desk.open += 1;
  try {
    return await desk.queue(async () => {
      if (desk.session?.open === true) {
        const result = await desk.session.ask(call.input ?? "");
        if (result.status !== null || result.stdout !== "") return result;
      }
      desk.session = new GitSession(cwd, call, protocol, tidy);
      return desk.session.ask(call.input ?? "");
    });
  } finally {
    desk.open -= 1;
    tidy();
  }
}
