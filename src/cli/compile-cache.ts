import { enableCompileCache } from "node:module";
import { packageFiles } from "./package-files.ts";

/**
 * Keeps what V8 compiles of this program, for its next start, in the folder of the package. Whoever may write there may write the
 * program too, so it opens no way to anybody. Where it cannot be written nothing is kept, and Node checks each entry against the
 * file that it was made of, the version and V8's flags: set those before.
 */
export function keepCompiled(): void {
  enableCompileCache(packageFiles().compiled);
}
