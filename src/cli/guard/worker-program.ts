import { dirname } from "node:path";
import type { GuardProgram } from "../../adapters/agent/guard-files.ts";
import { packageFiles } from "../package-files.ts";

/** The words that start the guard in a worker: this program, by absolute paths. */
export function guardProgram(): GuardProgram {
  const { main } = packageFiles();
  return { argv: [process.execPath, main], read: [dirname(main)] };
}
