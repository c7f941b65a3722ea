import fsp from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

type Patchable = "link" | "lstat" | "open" | "rename" | "rm" | "statfs" | "writeFile";

/**
 * Replaces a function of node:fs/promises by `around(real)` while `act` runs, everywhere in this process: for events between two
 * system calls of the code under test.
 */
export async function withPatchedFs<K extends Patchable, T>(
  name: K,
  around: (real: (typeof fsp)[K]) => (typeof fsp)[K],
  act: () => Promise<T>,
): Promise<T> {
  const real = fsp[name];
  fsp[name] = around(real);
  syncBuiltinESMExports();
  try {
    return await act();
  } finally {
    fsp[name] = real;
    syncBuiltinESMExports();
  }
}
