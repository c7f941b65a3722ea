/** Time limit for a stop. The system does not stop a process without a waiting shell at all (POSIX, orphaned groups). */
const STOP_MS = 300;

/**
 * Stops this process group, as the terminal's own Ctrl-Z does. Resolves after it continues: true, or false if no shell could
 * continue it, so that the system did not stop it.
 */
export async function stopUntilContinued(): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const goesOn = (): void => resolve(true);
  process.on("SIGCONT", goesOn);
  process.kill(0, "SIGTSTP");
  // The timer runs on during the stop. SIGCONT is handled before immediates.
  const timer = setTimeout(() => setImmediate(() => resolve(false)), STOP_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    process.off("SIGCONT", goesOn);
  }
}

/**
 * Resolves once Node knows the size of the terminal: a background process gets no signal of a change. Node updates it only on
 * SIGWINCH, before listeners that were added later.
 */
export async function measured(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.once("SIGWINCH", () => resolve());
  process.kill(process.pid, "SIGWINCH");
  await promise;
}
