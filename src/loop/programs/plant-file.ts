import { lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../domain/values/text.ts";

/** A file that the engine writes into a checkout. */
export interface PlantedFile {
  /** Relative to the checkout. */
  readonly path: string;
  readonly text: string;
}

/**
 * Writes a new file into a checkout that no process uses. The commit may have made a link of any folder on the way, so none is followed:
 * throws if a folder is no plain one, if the path leads out, or if something is there already.
 */
export async function plantFile(checkout: string, { path, text }: PlantedFile): Promise<void> {
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) throw new Error(`${path} is no path below a checkout`);
  let folder = checkout;
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part);
    await mkdir(folder).catch((error: unknown) => {
      if (!hasErrorCode(error, "EEXIST")) throw error;
    });
    if (!(await lstat(folder)).isDirectory()) throw new Error(`${path} cannot be written: ${part} is no folder of the commit`);
  }
  await writeFile(join(checkout, path), text, { flag: "wx" });
}
