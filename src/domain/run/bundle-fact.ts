import type { TicketId } from "../values/ids.ts";

interface Of {
  readonly ticket: TicketId;
  readonly attempt: number;
}

/**
 * The files of an ended attempt are listed in its bundle, with their hashes, or could not be. These facts have no fence: the attempt
 * is over. The last one of an attempt counts.
 */
export type BundleFact =
  /** `sha256` is that of `bundle.json`, which is on the disk; `files`: how many it lists. */
  | ({ readonly type: "attempt-bundled"; readonly sha256: string; readonly files: number } & Of)
  /** The next engine tries again. `why` is one line, safe for a terminal. */
  | ({ readonly type: "attempt-not-bundled"; readonly why: string } & Of);

/** The part of a past attempt that says whether its files are listed. Neither: not yet. */
export interface BundleResult {
  /** sha256 of its `bundle.json`. */
  readonly bundleSha?: string;
  /** The reason why there is none. */
  readonly notBundled?: string;
}
