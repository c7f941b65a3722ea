/**
 * A machine that is too busy, as a program on it sees it: much time passes while it does little. `NODE_OPTIONS=--import <this file>`.
 */
const FACTOR = 100_000;

const now = performance.now.bind(performance);
const begin = now();
performance.now = () => begin + (now() - begin) * FACTOR;
