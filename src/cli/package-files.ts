import { existsSync } from "node:fs";
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
export function packageFiles(): Readonly<Record<"main" | "oracle" | "prompts" | "compiled", string>> {
  const root = packageRoot();
  return {
    main: join(root, "dist", "loopdash.js"),
    oracle: join(root, "dist", "oracle.cjs"),
    prompts: join(root, "prompts"),
    compiled: join(root, ".cache"),
  };
}
