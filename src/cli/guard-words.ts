import { dirname } from "node:path";
import type { GuardProgram } from "../adapters/agent/guard-files.ts";
import { packageFiles } from "./package-files.ts";

/** How workers start the guard: this program, by absolute paths. */
export function guardProgram(): GuardProgram {
  const { main } = packageFiles();
  return { argv: [process.execPath, main], read: [dirname(main)] };
}
