import { parentPort, workerData } from "node:worker_threads";
import { errorMessage } from "../../domain/values/text.ts";
import { UserError } from "../../domain/values/user-error.ts";
import { deltaReader, type LocalTracker } from "./reading.ts";
import type { ThreadReading } from "./reading-thread.ts";

/** The complete program of the thread that reads a local tracker: each message asks for what has changed since the last one. */
export function serveReading(): void {
  const reader = deltaReader(workerData as LocalTracker);
  parentPort?.on("message", async () => {
    const answer: ThreadReading = await reader.read().then(
      (delta) => ({ delta }),
      (error: unknown) => {
        if (!(error instanceof UserError)) return { problem: errorMessage(error) };
        const { what, why, todo } = error;
        return { problem: { what, why, todo } };
      },
    );
    parentPort?.postMessage(answer);
  });
}
