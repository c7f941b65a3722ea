import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Reporter } from "vitest/node";

/** The file with a run's errors outside of every test, as a JSON list of their messages: vitest's JSON report leaves them out. */
export const UNHANDLED = join(resolve(import.meta.dirname, ".."), ".ci/out/unhandled");

/** Writes the file named by `UNHANDLED_FILE`; default: `UNHANDLED`. */
// biome-ignore lint/style/noDefaultExport: vitest asks for it
export default class UnhandledReporter implements Reporter {
  onTestRunEnd(_modules: unknown, errors: readonly unknown[]): void {
    writeFileSync(process.env["UNHANDLED_FILE"] ?? UNHANDLED, `${JSON.stringify(errors.map(messageOf))}\n`);
  }
}

function messageOf(error: unknown): string {
  const { message, cause } = Object(error) as { readonly message?: unknown; readonly cause?: unknown };
  const own = typeof message === "string" ? message : String(error);
  return cause === undefined ? own : `${own} (${messageOf(cause)})`;
}
