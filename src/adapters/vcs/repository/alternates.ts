import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** The depth to which git follows object folders that name further ones (object-file.c). */
const DEEPEST = 5;

/** An object folder that another one borrows from. */
export interface Borrowed {
  readonly folder: string;
  /** Its relative name, if the borrowing folder names it by a relative path. */
  readonly relative?: string;
}

/** The object folders from which a user's repository borrows (objects/info/alternates), and those from which these borrow. */
export async function listAlternates(objects: string, depth = 0): Promise<readonly Borrowed[]> {
  if (depth > DEEPEST) return [];
  // Most repositories borrow nothing. A list that cannot be read cannot be read by git either.
  const text = await readFile(join(objects, "info", "alternates"), "utf8").catch(() => "");
  const found: Borrowed[] = [];
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#") || line.startsWith('"')) continue;
    const folder = resolve(objects, line);
    found.push(line.startsWith("/") ? { folder } : { folder, relative: line }, ...(await listAlternates(folder, depth + 1)));
  }
  return found;
}
