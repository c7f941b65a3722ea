import { plainText } from "../../domain/values/text.ts";
import type { ProtectedFiles } from "../programs/protected-files.ts";
import type { ProgramContext } from "../programs/scope.ts";

/** Bytes at the end of a log that hold its last line, and characters of it that are shown. */
const LOG_BYTES = 4_096;
const LINE_CHARS = 200;

/** The last line that the reviewer's program printed, safe for a terminal; empty if there is none. */
export async function readLastLine({ files }: Pick<ProgramContext, "files">, log: string): Promise<string> {
  const lines = (await files.tail(log, LOG_BYTES)).split("\n").map((line) => plainText(line, LINE_CHARS));
  return lines.findLast((line) => line.trim() !== "") ?? "";
}

/** The paths of files that the reviewer added, changed or removed. */
export function differences(before: ProtectedFiles, after: ProtectedFiles): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path)?.content !== after.get(path)?.content);
}
