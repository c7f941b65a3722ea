import { parentPort, workerData } from "node:worker_threads";
import { type ScanTask, scan } from "./scan.ts";

/** The complete program of the thread that runs a scan: one task in, one answer out. */
export function serveScan(): void {
  parentPort?.postMessage(scan(workerData as ScanTask));
}
