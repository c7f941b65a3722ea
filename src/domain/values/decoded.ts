/**
 * False for a path of which Node has lost bytes: it decodes names as UTF-8 and puts U+FFFD for what is none, so that the path leads nowhere, or
 * to another file.
 */
export function isDecoded(path: string): boolean {
  return !path.includes("\uFFFD");
}

/** Why such a path cannot be used. */
export const NOT_UTF8 = "its path has bytes that are no UTF-8, which Node cannot name";
