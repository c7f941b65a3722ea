import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FilePatch } from "../../domain/review/diff.ts";
import { readPatch } from "../../domain/review/diff.ts";
import { isWholePatch } from "../../domain/review/shown-change.ts";
import type { Candidate, ChangedPath, Repo } from "../../ports/vcs.ts";
import type { StepScope } from "../programs/scope.ts";

/** Bytes of a candidate's patch that are read; the rest can be seen in the checkout. */
const PATCH_BYTES = 4_000_000;

/** The changes of a candidate, as it would land. */
export interface CandidateDiff {
  readonly paths: readonly ChangedPath[];
  readonly files: readonly FilePatch[];
  /** False if the patch was too long to be read to its end. */
  readonly whole: boolean;
}

/** Reads a candidate's changes to its base. Writes the patch to a file of the attempt. */
export async function readCandidateDiff(
  scope: Pick<StepScope, "files">,
  repo: Repo,
  { base, commit }: Pick<Extract<Candidate, { ok: true }>, "base" | "commit">,
): Promise<CandidateDiff> {
  const file = join(scope.files.folder, "candidate.patch");
  const [{ paths }] = await Promise.all([
    repo.change({ from: base, tip: commit }),
    repo.writePatch({ from: base, tip: commit, file, maxBytes: PATCH_BYTES, shown: true }),
  ]);
  const text = await readFile(file, "utf8");
  return { paths, files: readPatch(text), whole: isWholePatch(text) };
}
