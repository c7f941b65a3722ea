/** The longest results that are read. jest's may carry a whole coverage map. Bytes. */
export const MAX_RESULTS_BYTES = 64 * 1024 * 1024;
/** The most tests of one file. */
export const MAX_TESTS = 500_000;
/** How deep suites may lie in suites. */
export const MAX_SUITE_DEPTH = 60;
/** Reading results may take so long. Milliseconds. */
export const PARSE_MS = 60_000;
/** Memory that reading one may take. MiB. */
export const PARSE_MIB = 1024;
/** Results tell when their run began. They may say so much earlier than the engine saw it begin: clocks are coarse. Milliseconds. */
export const SKEW_MS = 2_000;
