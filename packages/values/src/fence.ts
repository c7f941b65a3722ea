/** Puts captured output in a block that it cannot close: the fence is longer than any run of backticks in it. */
export function fence(text: string): string {
  const inner = text.replace(/`{16,}/g, "`".repeat(15));
  const longest = Math.max(2, ...[...inner.matchAll(/`+/g)].map((m) => m[0].length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}text\n${inner}\n${ticks}\n`;
}
