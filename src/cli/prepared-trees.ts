import { createLocks } from "../adapters/locks/sqlite-locks.ts";
import { createPreparedTrees } from "../adapters/prepared-trees/prepared-trees.ts";
import type { PreparedTrees } from "../ports/prepared-trees.ts";
import { packageFiles } from "./package-files.ts";
import type { StateHome } from "./state-home.ts";

/** A look at a lock must not hold up the engine: others that wait look again soon. Milliseconds. */
const LOCK_WAIT_MS = 2;

/** Opens the kept results of prepare commands, which all runs of a state folder share. */
export function openPreparedTrees(
  home: StateHome,
  { run, maxBytes }: { readonly run: string; readonly maxBytes: number },
): PreparedTrees {
  const thread = { program: packageFiles().main, args: ["__tree"] };
  return createPreparedTrees({ folder: home.prepared, locks: createLocks(home.locks, LOCK_WAIT_MS), run, maxBytes, thread });
}
