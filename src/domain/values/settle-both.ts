/** Waits for two promises. If both reject, throws the first one's error, so that no message depends on timing. */
export async function settleBoth<A, B>(first: Promise<A>, second: Promise<B>): Promise<readonly [A, B]> {
  const [one, two] = await Promise.allSettled([first, second]);
  if (one.status === "rejected") throw one.reason;
  if (two.status === "rejected") throw two.reason;
  return [one.value, two.value];
}
