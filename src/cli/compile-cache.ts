import { enableCompileCache } from "node:module";
import { packageFiles } from "./package-files.ts";

/**
 * Caches V8's compiled code of this program in the package's folder for the next start. Anyone who can write there can change the
 * program itself, so the cache adds no risk. If the folder is not writable, nothing is cached. Node checks each entry against its
 * source file, the version and V8's flags: set those first.
 */
export function keepCompiled(): void {
  enableCompileCache(packageFiles().compiled);
}
