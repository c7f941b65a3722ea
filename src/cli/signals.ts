import { EXIT } from "../domain/values/user-error.ts";
import type { Engine } from "./engine/start-engine.ts";

let asked: AbortController | undefined;

/**
 * Aborts once a signal asks this process to go: SIGINT or SIGTERM. From the first call on they no longer end it by themselves;
 * a second one does. A closed terminal (SIGHUP) ends it as ever. One for the whole process, whoever asks for it.
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

/** Turns signals into an orderly stop. A second one of the same kind ends the process at once; the run can still be gone on with. */
export function stopOnSignals(engine: Pick<Engine, "stop">, signals: readonly NodeJS.Signals[]): void {
  for (const signal of signals) {
    let seen = 0;
    process.on(signal, () => {
      seen += 1;
      if (seen > 1) process.exit(130);
      engine.stop(signal);
    });
  }
}
