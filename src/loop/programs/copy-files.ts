import type { CopyReader } from "../../domain/batch/copy-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import type { RepoId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import type { ProgramContext } from "./scope.ts";

/** Copies the ignored files that the batch names for these programs into a prepared checkout. Gives the evidence of the first that cannot be. */
export async function copyFiles(
  { batch, files }: Pick<ProgramContext, "batch" | "files">,
  repo: RepoId,
  checkout: string,
  reader: CopyReader,
): Promise<Evidence | undefined> {
  for (const { from, to, for: readers } of batch.repos[repo]?.copy ?? []) {
    if (readers !== undefined && !readers.includes(reader)) continue;
    const why = await files.copyInto(checkout, { from, to });
    if (why === undefined) continue;
    const summary = `${plainText(from, 200)} cannot be copied to ${to}: ${plainText(why, 200)}`;
    return { step: "prepare", name: "copy", summary, detail: 'Correct the file, or "copy" in the batch file.' };
  }
  return undefined;
}
