import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { buildInto, WITHOUT_PROOF } from "../adversary/holed-build.ts";
import { PROGRAM_WITHOUT_PROOF } from "./stage.ts";

/** Builds the program that most of the long tests run. Vitest calls it once, before the first of them. */
export async function setup(): Promise<void> {
  // Then the tests run another program, and the folders around that one are not this one's to remove.
  if (process.env["LOOPDASH_TEST_PROGRAM"] !== undefined) return;
  const root = dirname(dirname(PROGRAM_WITHOUT_PROOF));
  rmSync(root, { recursive: true, force: true });
  await buildInto(root, [WITHOUT_PROOF]);
}
