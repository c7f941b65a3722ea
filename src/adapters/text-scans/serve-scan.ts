import { parentPort, workerData } from "node:worker_threads";
import { type ScanTask, scan } from "./scan.ts";

/** The whole life of the thread that does a scan: one task in, one answer out. */
export function serveScan(): void {
  parentPort?.postMessage(scan(workerData as ScanTask));
}
