import { absolutePath, type Call, deletionZone, normalPath, type Places, pathAsWritten } from "../paths.ts";
import type { ShellScope } from "../shell/scope.ts";

/** What a command links, moves or mounts, and where to. */
interface Making {
  readonly sources: readonly string[];
  readonly target: string;
  readonly isLink: boolean;
  /** True if the target is a folder that gets the sources. */
  readonly isFolder: boolean;
}

/**
 * Remembers what `ln -s`, `mv` and `mount --bind` bring from outside to places where files may be deleted: what happens there
 * later in the line happens to the origin.
 */
export function keepOrigins(making: Making, scope: ShellScope, places: Places): void {
  const folder = pathAsWritten(making.target, scope);
  if (folder === undefined) return;
  const from = making.isLink ? folderOfLink(folder, making.isFolder) : scope.cwd;
  for (const source of making.sources) {
    const path = outsidePath(source, { ...scope, cwd: from }, places);
    if (path === undefined) continue;
    const inFolder = normalPath(`${folder}/${path.slice(path.lastIndexOf("/") + 1)}`);
    // Without more knowledge, the target may be a folder that exists.
    const made = making.isFolder ? [inFolder] : [folder, inFolder];
    for (const each of made) if (each !== path) scope.origins.set(each, { path, isLink: making.isLink });
  }
}

/** The text of a relative link counts from the folder that the link is in. */
function folderOfLink(target: string, isFolder: boolean): string {
  return isFolder ? target : target.slice(0, target.lastIndexOf("/")) || "/";
}

function outsidePath(word: string, scope: ShellScope, places: Places): string | undefined {
  const zone = deletionZone(word, scope, places);
  return zone === "inside" || zone === "temp" ? undefined : absolutePath(word, scope);
}

/** Remembers `mount --bind`. */
export function keepMount({ args, scope }: Call, places: Places): void {
  const isBind = args.some((arg) => /^(?:--r?bind|-o=?r?bind)$|(?:^|,)r?bind(?:,|$)/.test(arg));
  const [source, target] = args.filter((arg) => arg.startsWith("/") || arg.startsWith("."));
  if (isBind && source !== undefined && target !== undefined)
    keepOrigins({ sources: [source], target, isLink: false, isFolder: false }, scope, places);
}
