/**
 * An immutable list in chunks of 128, so that replacing one of 10,000 items copies two short arrays. Plain nested arrays: it
 * survives JSON as it is.
 */
export type Vec<T> = readonly (readonly T[])[];

const BITS = 7;
const SIZE = 1 << BITS;

/** Builds a Vec from any list. */
export function vecFrom<T>(items: readonly T[]): Vec<T> {
  const chunks: T[][] = [];
  for (let i = 0; i < items.length; i += SIZE) chunks.push(items.slice(i, i + SIZE));
  return chunks;
}

/** The item at `index`. Throws a RangeError outside the list. */
export function vecAt<T>(vec: Vec<T>, index: number): T {
  const item = vec[index >> BITS]?.[index & (SIZE - 1)];
  if (item === undefined) throw new RangeError(`no item ${index}`);
  return item;
}

/** A copy of `vec` with `item` at `index`. */
export function vecWith<T>(vec: Vec<T>, index: number, item: T): Vec<T> {
  const chunk = vec[index >> BITS];
  if (chunk === undefined) throw new RangeError(`no item ${index}`);
  return vec.with(index >> BITS, chunk.with(index & (SIZE - 1), item));
}

/** A copy of `vec` with `item` after its last one. */
export function vecPush<T>(vec: Vec<T>, item: T): Vec<T> {
  const last = vec.at(-1);
  return last === undefined || last.length === SIZE ? [...vec, [item]] : vec.with(-1, [...last, item]);
}

/** All items in order. */
export function* vecItems<T>(vec: Vec<T>): Generator<T> {
  for (const chunk of vec) yield* chunk;
}
