/** The most questions were asked. */
class NoMore extends Error {
  override readonly name = "NoMore";
}

/**
 * The files of a list that something needs, found by halving: `holds` is true with all of them and false with none. Each needed file
 * costs as many questions as the list can be halved. If more than `most` would be asked, the files that are left are named as well:
 * too many are shown, never too few.
 */
export async function findNeeded(
  files: readonly string[],
  holds: (some: readonly string[]) => Promise<boolean>,
  most: number,
): Promise<readonly string[]> {
  let asked = 0;
  const ask = (some: readonly string[]): Promise<boolean> => {
    if (asked >= most) throw new NoMore();
    asked += 1;
    return holds(some);
  };
  const needed: string[] = [];
  let left = files;
  try {
    while (left.length > 0) {
      if (needed.length > 0 && (await ask(needed))) return needed;
      // It does not hold without any of those that are left, and it does with all.
      const end = await firstEnough(
        left,
        (some) => ask([...needed, ...some]),
        (end) => (left = left.slice(0, end)),
      );
      needed.push(left[end - 1] ?? "");
      left = left.slice(0, end - 1);
    }
    return needed;
  } catch (error) {
    if (!(error instanceof NoMore)) throw error;
    return [...needed, ...left];
  }
}

/** How many of a list, from its beginning, are enough: with all it holds, and with none it does not. `known`: so many are. */
async function firstEnough(
  list: readonly string[],
  holds: (some: readonly string[]) => Promise<boolean>,
  known: (end: number) => void,
): Promise<number> {
  let [low, high] = [0, list.length];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await holds(list.slice(0, middle))) {
      high = middle;
      known(high);
    } else low = middle;
  }
  return high;
}
