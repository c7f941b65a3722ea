import { createHash } from "node:crypto";
import type { PreparedRef } from "../../ports/prepared-trees.ts";

/** The beginning of the names of locks. */
export const RESOURCE = "prepared tree ";
/** Hexadecimal digits of a hash in a name. */
const DIGITS = 32;
/** Characters of the name of an entry. */
export const NAME_LENGTH = 2 * DIGITS + 1;

/** The name of an entry: of its repository and its key. */
export function entryName({ repo, key }: PreparedRef): string {
  return `${shortHash(repo)}-${key.slice(0, DIGITS)}`;
}

/** The name of the lock that the maker of an entry holds. */
export function entryLock(ref: PreparedRef): string {
  return `${RESOURCE}${entryName(ref)}`;
}

/** The hash of a text, short enough for a name. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, DIGITS);
}
