/** Growing waits without an end: the first, then each twice the one before it, at most `most`. */
export function* delays(first: number, most: number): Generator<number, never> {
  for (let times = 1; ; times += 1) yield nthDelay(times, first, most);
}

/** The wait number `times`, from 1, of `delays`. */
export function nthDelay(times: number, first: number, most: number): number {
  return Math.min(most, first * 2 ** Math.min(Math.max(times - 1, 0), 20));
}
