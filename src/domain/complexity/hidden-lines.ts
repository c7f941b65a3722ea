/** Bytes of a line that count as one: each begun part of a longer one counts as a line more. Code is rarely that wide. */
const LINE_BYTES = 200;

const [LF, ADDED, REMOVED] = [0x0a, 0x2b, 0x2d];

/**
 * How many lines more a diff has if each begun 200 bytes of an added or removed line count as one: a change cannot look small by having no
 * line breaks. Takes a diff without context lines. A path of more than 200 bytes in its headers counts, too.
 */
export function hiddenLines(diff: Uint8Array): number {
  let hidden = 0;
  for (let from = 0; from < diff.length; ) {
    const at = diff.indexOf(LF, from);
    const end = at === -1 ? diff.length : at;
    const sign = diff[from];
    // Without its sign.
    if (sign === ADDED || sign === REMOVED) hidden += Math.max(0, Math.ceil((end - from - 1) / LINE_BYTES) - 1);
    from = end + 1;
  }
  return hidden;
}
