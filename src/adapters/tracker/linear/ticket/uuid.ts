import { createHash } from "node:crypto";

/**
 * A UUID that is derived from texts: the sha256 of them with the bits of version 4, because Linear accepts ids of new objects in
 * "UUID v4 format" only (`IssueCreateInput.id`). Equal texts give equal ids, so that an object cannot be created twice.
 */
export function derivedUuid(kind: string, ...parts: readonly string[]): string {
  const hex = createHash("sha256")
    .update(JSON.stringify(["loopdash", kind, ...parts]))
    .digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** True if a text has the form of a UUID. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
