import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** How far git follows object folders that name further ones (object-file.c). */
const DEEPEST = 5;

/** An object folder that another one borrows from. */
export interface Borrowed {
  readonly folder: string;
  /** How it is named, where that is by a path from the one that names it. */
  readonly relative?: string;
}

/** The object folders that a repository of a person borrows from (objects/info/alternates), by those too. */
export async function alternatesOf(objects: string, depth = 0): Promise<readonly Borrowed[]> {
  if (depth > DEEPEST) return [];
  // Most repositories borrow nothing; what cannot be read, git cannot read either.
  const text = await readFile(join(objects, "info", "alternates"), "utf8").catch(() => "");
  const found: Borrowed[] = [];
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#") || line.startsWith('"')) continue;
    const folder = resolve(objects, line);
    found.push(line.startsWith("/") ? { folder } : { folder, relative: line }, ...(await alternatesOf(folder, depth + 1)));
  }
  return found;
}
