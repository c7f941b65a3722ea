import { createHash } from "node:crypto";
import type { OracleBatch } from "../../ports/oracle.ts";

/** The batch as the oracle reads it: the same batch always gives the same bytes. */
export function oracleBatchBytes(batch: OracleBatch): Uint8Array {
  const { tracker, tickets } = batch;
  const place =
    tracker.kind === "embedded" ? { kind: tracker.kind, file: tracker.file } : { kind: tracker.kind, folder: tracker.folder };
  return new TextEncoder().encode(`${JSON.stringify({ version: 1, tracker: place, tickets })}\n`);
}

/** The file or folder that the oracle must be able to read. */
export function oracleInput(batch: OracleBatch): string {
  return batch.tracker.kind === "embedded" ? batch.tracker.file : batch.tracker.folder;
}

/** sha256 in hexadecimal digits. */
export function oracleSha(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
