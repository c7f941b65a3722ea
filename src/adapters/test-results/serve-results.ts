import { parentPort, workerData } from "node:worker_threads";
import { type ParseTask, parseResults } from "@loopdash/test-evidence/reports";

/** The complete program of the thread that reads test results: one task in, one reading out. */
export function serveResults(): void {
  parentPort?.postMessage(parseResults(workerData as ParseTask));
}
