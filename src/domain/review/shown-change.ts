/** A change as text for who is to approve it. */
export interface ShownChange {
  readonly commit: string;
  /** A patch in which nothing hides (see `visibleText`). */
  readonly text: string;
  /** False if it was too long to be read to its end. */
  readonly whole: boolean;
}

/** A change that was shown whole. Nothing else can be approved. */
export type WholeChange = Pick<ShownChange, "commit"> & { readonly whole: true };

/** The last line of a patch that was cut. In a patch, every line of a file's content begins with a mark. */
const CUT = /(?:^|\n)# cut here: [^\n]*\n$/;

/** True if this is a patch to its end. */
export function isWholePatch(text: string): boolean {
  return !CUT.test(text);
}

/** True for a change that was shown whole. */
export function isShownWhole(change: Pick<ShownChange, "commit" | "whole"> | undefined): change is WholeChange {
  return change?.whole === true;
}
