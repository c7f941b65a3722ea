import { Script } from "node:vm";
import { hasErrorCode } from "../domain/values/error-text.ts";

const WORK = Symbol.for("loopdash.work");
const script = new Script('globalThis[Symbol.for("loopdash.work")]()');

/** A limit for all that is given to it, in milliseconds. */
export function timeLimit(ms: number): <T>(work: () => T) => T | undefined {
  const end = performance.now() + ms;
  return (work) => withinMs(Math.ceil(end - performance.now()), work);
}

/**
 * The result of synchronous work, or undefined if it takes longer than `ms` milliseconds: then V8 ends it wherever it is, also within a
 * regular expression, and no `catch` of it sees that. The work must change nothing outside itself. Costs some 0.2 ms.
 */
function withinMs<T>(ms: number, work: () => T): T | undefined {
  if (ms < 1) return undefined;
  let result: T | undefined;
  Object.assign(globalThis, {
    [WORK]: () => {
      result = work();
    },
  });
  try {
    script.runInThisContext({ timeout: ms });
    return result;
  } catch (error) {
    if (hasErrorCode(error, "ERR_SCRIPT_EXECUTION_TIMEOUT")) return undefined;
    throw error;
  }
}
