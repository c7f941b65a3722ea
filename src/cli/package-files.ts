import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the installed package (or of the source tree): the nearest one above with a package.json. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("loopdash does not find its own package.json");
    folder = parent;
  }
  return folder;
}

/** Files that ship beside the program. */
export function packageFiles(): { readonly main: string; readonly oracle: string; readonly prompts: string } {
  const root = packageRoot();
  return {
    main: join(root, "dist", "loopdash.js"),
    oracle: join(root, "dist", "oracle.cjs"),
    prompts: join(root, "prompts"),
  };
}
