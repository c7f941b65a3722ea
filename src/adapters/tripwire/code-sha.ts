import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The list of the built files that contain the tripwire, beside them; the build makes it. */
const BUILT = "tripwire.json";

/** sha256 of the tripwire's own code: all built files that contain it, whichever of them runs, or all of its source files. */
export function tripwireSha(): string {
  const folder = dirname(fileURLToPath(import.meta.url));
  const names: readonly string[] =
    basename(folder) === "tripwire" ? readdirSync(folder).sort() : JSON.parse(readFileSync(join(folder, BUILT), "utf8"));
  const hash = createHash("sha256");
  for (const name of names) hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  return hash.digest("hex");
}
