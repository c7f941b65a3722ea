/** How long a stop may take. A process that nobody waits for as a shell does is not stopped at all (POSIX, orphaned groups). */
const STOP_MS = 300;

/**
 * Stops this process and those beside it, as the terminal's own Ctrl-Z does, and settles once it goes on: true, or false where
 * nobody is there who could have it go on, so that the system did not stop it.
 */
export async function stopUntilContinued(): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const goesOn = (): void => resolve(true);
  process.on("SIGCONT", goesOn);
  process.kill(0, "SIGTSTP");
  // Time passes while it is stopped. The word that it goes on is read before what is due immediately.
  const timer = setTimeout(() => setImmediate(() => resolve(false)), STOP_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    process.off("SIGCONT", goesOn);
  }
}

/**
 * Settles once Node knows the size of the terminal: nobody tells a process in the background that it has changed. Node looks at it
 * on SIGWINCH alone, before the listeners that came later.
 */
export async function measured(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.once("SIGWINCH", () => resolve());
  process.kill(process.pid, "SIGWINCH");
  await promise;
}
