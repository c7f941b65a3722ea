import { EXIT } from "../domain/values/user-error.ts";
import type { Engine } from "./engine/start-engine.ts";

let asked: AbortController | undefined;

/**
 * Aborts at the first SIGINT or SIGTERM. From the first call on these no longer end the process by themselves; a second one does.
 * A closed terminal (SIGHUP) still ends it. All callers share one signal.
 */
export function askedToLeave(): AbortSignal {
  if (asked !== undefined) return asked.signal;
  const controller = new AbortController();
  asked = controller;
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(EXIT.interrupted);
      controller.abort();
    });
  }
  return controller.signal;
}

/** Calls `leave` at the first SIGINT or SIGTERM, which end the process no longer by themselves, until the returned function is called. */
export function onSignalsUntil(leave: () => void): () => void {
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, leave);
  return () => {
    for (const signal of signals) process.off(signal, leave);
  };
}

/**
 * Turns signals into an orderly stop. A second one of the same kind ends the process at once; the run can still be resumed. The returned
 * function gives the signals up.
 */
export function stopOnSignals(engine: Pick<Engine, "stop">, signals: readonly NodeJS.Signals[]): () => void {
  const listeners = signals.map((signal) => {
    let seen = 0;
    const listener = (): void => {
      seen += 1;
      if (seen > 1) process.exit(130);
      engine.stop(signal);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const release of listeners) release();
  };
}
