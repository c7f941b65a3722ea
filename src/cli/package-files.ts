import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the installed package (or of the source tree): the nearest parent with a package.json. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("loopdash does not find its own package.json");
    folder = parent;
  }
  return folder;
}

/** Files that ship with the program, and the folder of Node's compile cache. */
export function packageFiles(): Readonly<Record<"main" | "oracle" | "guardClient" | "prompts" | "compiled", string>> {
  const root = packageRoot();
  return {
    main: join(root, "dist", "loopdash.js"),
    oracle: join(root, "dist", "oracle.cjs"),
    guardClient: join(root, "dist", "guard-client.pl"),
    prompts: join(root, "prompts"),
    compiled: join(root, ".cache"),
  };
}

/**
 * Caches V8's compiled code of this program in the package's folder for the next start. Anyone who can write there can change the
 * program itself, so the cache adds no risk. If the folder is not writable, nothing is cached. Node checks each entry against its
 * source file, the version and V8's flags: set those first.
 */
export function keepCompiled(): void {
  enableCompileCache(packageFiles().compiled);
}
