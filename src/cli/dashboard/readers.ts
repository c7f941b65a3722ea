import { readEarlier } from "./earlier-reader.ts";
import { readOracleEvidence } from "./oracle-reader.ts";
import type { Reader, ReaderOf } from "./reader.ts";
import { readRuns } from "./runs-reader.ts";
import { readTicket } from "./ticket-reader.ts";

/** Every reader, one for each kind of thing that lies outside of the run's events. */
const READERS: readonly Reader[] = [readEarlier, readOracleEvidence, readRuns, readTicket];

/** Starts all readers; what is given back ends them. */
export function startReaders(readerOf: ReaderOf): () => void {
  const ends = READERS.map((start) => start(readerOf));
  return () => {
    for (const end of ends) end();
  };
}
