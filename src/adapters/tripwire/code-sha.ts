import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** sha256 of the tripwire's own code: the bundle that contains it, or all of its source files. */
export function tripwireSha(): string {
  const file = fileURLToPath(import.meta.url);
  const folder = dirname(file);
  const names = basename(folder) === "tripwire" ? readdirSync(folder).sort() : [basename(file)];
  const hash = createHash("sha256");
  for (const name of names) hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  return hash.digest("hex");
}
