/** Bounds of the pause between two readings of a service. Milliseconds. */
export const SHORTEST_PAUSE_MS = 10_000;
export const LONGEST_PAUSE_MS = 300_000;

/** The pause between two readings while nothing is known of the service's limits. Milliseconds. */
export const UNKNOWN_PAUSE_MS = 30_000;

/** Every so many readings, one is whole: deleted and moved issues are in no list of changes. */
export const WHOLE_EVERY = 20;

/** Changes are asked for from so long before the last reading, because the clocks of servers differ. Milliseconds. */
export const OVERLAP_MS = 5 * 60_000;

/**
 * The limits of both services are of an hour (Linear's documentation, "Rate limiting"; GitHub's, "Rate limits for the REST API").
 * Milliseconds.
 */
export const HOUR_MS = 3_600_000;
