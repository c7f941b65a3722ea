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
  const needed: string[] = [];
  let left = files;
  let asked = 0;
  while (left.length > 1 || (needed.length > 0 && left.length > 0)) {
    if (needed.length > 0) {
      if (asked >= most) return [...needed, ...left];
      asked += 1;
      if (await holds(needed)) return needed;
      if (left.length === 1) break;
    }
    // With `left.slice(0, low)` it does not hold, and with `left.slice(0, high)` it does.
    let [low, high] = [0, left.length];
    while (high - low > 1) {
      if (asked >= most) return [...needed, ...left.slice(0, high)];
      asked += 1;
      const middle = Math.floor((low + high) / 2);
      if (await holds([...needed, ...left.slice(0, middle)])) high = middle;
      else low = middle;
    }
    needed.push(left[high - 1] ?? "");
    left = left.slice(0, high - 1);
  }
  return [...needed, ...left];
}
