import { createHash } from "node:crypto";
import type { OracleBatch, TrackerPlace } from "../../ports/oracle.ts";

/** The place of a tracker that is a file or a folder, or of the listing that a tracker's program has printed. */
export type ReadablePlace = Exclude<TrackerPlace, { kind: "command" }> | { readonly kind: "listing"; readonly file: string };

/** The batch as a run freezes it: the same batch always gives the same bytes. */
export function oracleBatchBytes({ tracker, tickets }: OracleBatch): Uint8Array {
  if (tracker.kind !== "command") return readableBatchBytes(tracker, tickets);
  const place = { kind: tracker.kind, program: oracleSha(new TextEncoder().encode(tracker.program)), folder: tracker.folder };
  return encodeJsonLine({ version: 1, tracker: place, tickets });
}

/** The batch as the oracle reads it. */
export function readableBatchBytes(place: ReadablePlace, tickets: OracleBatch["tickets"]): Uint8Array {
  return encodeJsonLine({ version: 1, tracker: trackerEntry(place, tickets), tickets });
}

function trackerEntry(place: ReadablePlace, tickets: OracleBatch["tickets"]): object {
  if (place.kind === "folder") return { kind: place.kind, folder: place.folder };
  if (!("keys" in place)) return { kind: place.kind, file: place.file };
  const keys = tickets.flatMap((id) => (Object.hasOwn(place.keys, id) ? [[id, place.keys[id]]] : []));
  const { kind, canceled, repos, repoIds } = place;
  return { kind, canceled, keys: Object.fromEntries(keys), repos, ...(repoIds && { repoIds }) };
}

function encodeJsonLine(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}

/** The file or folder that the oracle must be able to read; undefined if it reads a service. */
export function oracleInput(place: ReadablePlace): string | undefined {
  if ("keys" in place) return undefined;
  return place.kind === "folder" ? place.folder : place.file;
}

/** sha256 in hexadecimal digits. */
export function oracleSha(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
