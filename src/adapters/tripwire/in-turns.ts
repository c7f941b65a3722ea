/**
 * Checks the items in order, several at a time, and returns the first problem. Settles when no check is running, and takes no
 * further item after cancellation.
 */
export async function findFirstProblem<T>(
  items: readonly T[],
  { signal, atATime }: { readonly atATime: number; readonly signal: AbortSignal | undefined },
  look: (item: T) => Promise<string | undefined>,
): Promise<string | undefined> {
  const queue = [...items];
  let problem: string | undefined;
  const worker = async (): Promise<void> => {
    while (queue.length > 0 && problem === undefined && signal?.aborted !== true) {
      const found = await look(queue.shift() as T);
      problem ??= found;
    }
  };
  const results = await Promise.allSettled(Array.from({ length: atATime }, worker));
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return problem;
}
