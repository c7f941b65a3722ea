/** Results in the formats of test runners, read as hostile input. */
export { MAX_RESULTS_BYTES, PARSE_MIB, PARSE_MS } from "./bounds.ts";
export { type ParseFormat, type ParseTask, parseResults } from "./parse-results.ts";
export type { ResultsFormat, ResultsReading } from "./results-reading.ts";
