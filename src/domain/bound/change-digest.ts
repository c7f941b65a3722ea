import { createHash } from "node:crypto";
import type { TouchedFile } from "./touched.ts";

/** A changed path with the object ids of its content on the base and in the candidate; absent where there is no such file. */
export interface ChangedContent extends TouchedFile {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** The identity of a change: every path that it touches, with its mode and its content before and after. Order does not count. */
export function changeDigest(paths: readonly ChangedContent[]): string {
  const entries = paths.map(({ path, how, mode, before = "", after = "" }) => [path, how, mode, before, after]);
  const sorted = entries.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}
