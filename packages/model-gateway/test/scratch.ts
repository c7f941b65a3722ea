import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/**
 * A new folder for each test of the file, removed afterwards. Call it at the top; the function returns the folder's real path.
 */
export function scratchFolder(): () => string {
  let folder = "";
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "loopdash-")));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  return () => folder;
}
