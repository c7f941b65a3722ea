/** Settles as the promise does, or rejects with the signal's reason once it is aborted. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(signal.reason);
  signal.addEventListener("abort", giveUp);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
