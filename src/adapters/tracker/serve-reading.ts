import { parentPort, workerData } from "node:worker_threads";
import { errorMessage } from "../../domain/values/error-text.ts";
import { deltaReader, type LocalPlace } from "./reading.ts";
import type { ThreadReading } from "./reading-thread.ts";

/** The complete program of the thread that reads a local tracker: each message asks for what has changed since the last one. */
export function serveReading(): void {
  const reader = deltaReader(workerData as LocalPlace);
  parentPort?.on("message", async () => {
    const answer: ThreadReading = await reader.read().then(
      (delta) => ({ delta }),
      (error: unknown) => ({ problem: errorMessage(error) }),
    );
    parentPort?.postMessage(answer);
  });
}
