/** The longest results that are read. jest's may carry a whole coverage map. Bytes. */
export const MAX_RESULTS_BYTES = 64 * 1024 * 1024;
/** The most tests of one file. */
export const MAX_TESTS = 500_000;
/** Levels of suites in suites, at most. */
export const MAX_SUITE_DEPTH = 60;
/** Time limit for reading results. Milliseconds. */
export const PARSE_MS = 60_000;
/** Memory limit for reading results. MiB. */
export const PARSE_MIB = 1024;
/** The start in the results may be earlier than the engine's start of the command by so much: clocks are coarse. Milliseconds. */
export const SKEW_MS = 2_000;
