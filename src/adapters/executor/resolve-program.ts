import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { errorCode } from "../../domain/values/text.ts";

/** Error codes that mean "not here" or "not permitted": the search goes on, as in execvp(3). */
const NOT_HERE = new Set(["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG"]);

/**
 * The absolute path of a program as a child would find it, or undefined if there is none. A name with a slash is resolved against
 * `cwd`; any other is looked up in each entry of `path`; an empty entry is `cwd` (execvp(3)).
 */
export async function resolveProgram(argv0: string, options: { cwd: string; path: string }): Promise<string | undefined> {
  if (argv0 === "" || argv0.includes("\0")) return undefined;
  const candidates = argv0.includes("/")
    ? [resolve(options.cwd, argv0)]
    : options.path.split(":").map((entry) => resolve(options.cwd, entry, argv0));
  for (const candidate of candidates) {
    if (await isExecutableFile(candidate)) return candidate;
  }
  return undefined;
}

async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (error) {
    if (NOT_HERE.has(errorCode(error) ?? "")) return false;
    throw error;
  }
}
