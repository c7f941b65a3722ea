import { randomInt } from "node:crypto";

/** A random item of a non-empty list. */
export function chooseOne<T>(list: readonly T[]): T {
  if (list.length === 0) throw new RangeError("nothing to choose from");
  return list[randomInt(list.length)] as T;
}

/** The list in random order. */
export function shuffled<T>(list: readonly T[]): T[] {
  const items = [...list];
  for (let at = items.length - 1; at > 0; at -= 1) {
    const other = randomInt(at + 1);
    [items[at], items[other]] = [items[other] as T, items[at] as T];
  }
  return items;
}

export function flipCoin(): boolean {
  return randomInt(2) === 0;
}
