/** Switches a terminal's modes other than its screen. Both may be called at any time, and more than once. */
export interface Modes {
  readonly take: () => void;
  readonly give: () => void;
  /** Restores the modes for good. */
  readonly end: () => void;
}

/**
 * Sets the terminal's modes by `enter`, and restores them by `leave` however this process ends: also after an error or a hang-up,
 * which still ends it. Only SIGKILL leaves them set.
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
