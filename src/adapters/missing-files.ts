import { readdir } from "node:fs/promises";
import { hasErrorCode } from "../domain/values/text.ts";

const MISSING = ["ENOENT", "ENOTDIR"];

/** The result of a file operation; undefined if it fails with one of these codes, by default because there is no such file. */
export async function ifThere<T>(result: Promise<T>, codes: readonly string[] = MISSING): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (hasErrorCode(error, ...codes)) return undefined;
    throw error;
  }
}

/** The names in a folder; none if it is missing. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await ifThere(readdir(folder))) ?? [];
}
