import { parentPort, workerData } from "node:worker_threads";
import { type ParseTask, parseReport } from "./parse-report.ts";

/** The whole life of the thread that reads a report: one task in, one reading out. */
export function serveReport(): void {
  parentPort?.postMessage(parseReport(workerData as ParseTask));
}
