/** What is changed of a terminal beside its screen. Both may be called at any time, and more than once. */
export interface Modes {
  readonly take: () => void;
  readonly give: () => void;
  /** Gives back for good. */
  readonly end: () => void;
}

/**
 * Changes the terminal's modes by `enter`, and gives it back by `leave` however this process ends: also by an error, and by a
 * hang-up, which ends it all the same. Only SIGKILL leaves them as they are.
 */
export function keepModes(stdout: NodeJS.WritableStream, modes: { readonly enter: string; readonly leave: string }): Modes {
  let taken = false;
  const to = (on: boolean): void => {
    if (taken === on) return;
    taken = on;
    stdout.write(on ? modes.enter : modes.leave);
  };
  const give = (): void => to(false);
  const hungUp = (): void => {
    give();
    process.off("SIGHUP", hungUp);
    process.kill(process.pid, "SIGHUP");
  };
  process.on("exit", give);
  process.on("SIGHUP", hungUp);
  return {
    take: () => to(true),
    give,
    end: () => {
      give();
      process.off("exit", give);
      process.off("SIGHUP", hungUp);
    },
  };
}
