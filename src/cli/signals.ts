import type { Engine } from "./engine/start-engine.ts";

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
