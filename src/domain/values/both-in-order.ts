/** Waits for two things that run at once. If both fail, the error of the first is thrown, whichever came earlier. */
export async function bothInOrder<A, B>(first: Promise<A>, second: Promise<B>): Promise<readonly [A, B]> {
  const [one, two] = await Promise.allSettled([first, second]);
  if (one.status === "rejected") throw one.reason;
  if (two.status === "rejected") throw two.reason;
  return [one.value, two.value];
}
