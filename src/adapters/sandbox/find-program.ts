import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { errorCode } from "../../domain/values/text.ts";

/**
 * The absolute path of a program, or undefined if there is none. A name with a slash is resolved against `cwd`; any other name is
 * looked up in the absolute entries of `path`.
 */
export function findProgram(name: string, { cwd, path }: { readonly cwd: string; readonly path: string }): string | undefined {
  if (name === "" || name.includes("\0")) return undefined;
  if (name.includes("/")) return [resolve(cwd, name)].find(isProgram);
  const folders = path.split(":").filter((folder) => isAbsolute(folder));
  return folders.map((folder) => resolve(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (error) {
    if (errorCode(error) !== undefined) return false;
    throw error;
  }
}
