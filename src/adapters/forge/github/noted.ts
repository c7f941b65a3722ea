import { DownloadFailure } from "../../github/download.ts";
import { GitHubRefusal, LostAnswer } from "../../github/failures.ts";
import { NotAZip } from "./zip-reader.ts";

/** The answer, or a note for the reader of a log that says why it is missing. */
export type Noted<T> = { readonly got: T; readonly note?: undefined } | { readonly got?: undefined; readonly note: string };

/** Gets something that may be missing. If GitHub cannot be asked at all, its ForgeUnavailable is thrown. */
export async function noted<T>(what: string, get: () => Promise<T>): Promise<Noted<T>> {
  try {
    return { got: await get() };
  } catch (error) {
    const isMissing = [GitHubRefusal, LostAnswer, DownloadFailure, NotAZip].some((kind) => error instanceof kind);
    if (!isMissing || !(error instanceof Error)) throw error;
    return { note: `[loopdash: ${what} cannot be had: ${error.message}]` };
  }
}

/** The note, if there is one, as a list. */
export function listNotes({ note }: Noted<unknown>): readonly string[] {
  return note === undefined ? [] : [note];
}
