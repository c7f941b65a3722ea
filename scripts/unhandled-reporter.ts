import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Reporter } from "vitest/node";

/** The file that tells how many errors of a run no test is to blame for: vitest's JSON report leaves them out. */
export const UNHANDLED = join(resolve(import.meta.dirname, ".."), ".ci/out/unhandled");

/** Where `UNHANDLED_FILE` names a file, that one is written; default: `UNHANDLED`. */
// biome-ignore lint/style/noDefaultExport: vitest asks for it
export default class UnhandledReporter implements Reporter {
  onTestRunEnd(_modules: unknown, errors: readonly unknown[]): void {
    writeFileSync(process.env["UNHANDLED_FILE"] ?? UNHANDLED, `${errors.length}\n`);
  }
}
