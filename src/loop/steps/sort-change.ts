import type { JudgeAllowance } from "@loopdash/test-evidence";
import { type ChangedFile, type ClassifiedChange, isReadForProof } from "@loopdash/test-evidence";
import { prepareCommands } from "../../domain/batch/prepare-command.ts";
import type { Check } from "../../domain/batch/step-spec.ts";
import { type Origin, withTrusted } from "../../domain/run/landings.ts";
import type { Scanned } from "../../ports/text-scans.ts";
import type { Repo } from "../../ports/vcs.ts";
import { TrustedFiles } from "./origins.ts";
import type { Built, StepContext } from "./step.ts";

/** A candidate's change since an origin, sorted, and the trusted files below it. */
export interface SortedChange extends ClassifiedChange {
  readonly trusted: TrustedFiles;
  /** The paths of the trusted files. */
  readonly files: readonly string[];
}

/** A check's command on a candidate, and where trust begins. `allow`: what the candidate's own ticket may change of what judges. */
export interface ChangeToSort {
  readonly step: Check;
  readonly candidate: Built;
  readonly origin: Origin;
  readonly allow: JudgeAllowance;
  readonly isRed: boolean;
}

/** The longest text of a changed file that is read. Characters. */
const MOST_CHARS = 1_000_000;

/** Sorts a candidate's change since an origin by what becomes of it in the judge's tree; what is allowed counts as trusted. */
export async function sortChange(
  { scans, batch }: Pick<StepContext, "batch" | "scans">,
  repo: Repo,
  { step, candidate, origin, allow, isRed }: ChangeToSort,
): Promise<Scanned<SortedChange>> {
  const span = { from: candidate.base, to: candidate.commit, only: allow };
  const trusted = await TrustedFiles.read(repo, withTrusted(origin, span));
  const [files, paths] = await Promise.all([trusted.paths(), trusted.changedIn(candidate.commit)]);
  const [texts, own] = await Promise.all([
    trusted.texts([
      ...new Set([...files.filter(isReadForProof), ...paths.flatMap(({ path, how }) => (how === "added" ? [] : [path]))]),
    ]),
    repo.readFiles({ commit: candidate.commit, paths: paths.flatMap(({ path, how }) => (how === "deleted" ? [] : [path])) }),
  ]);
  const changed = paths.map(
    (changedPath): ChangedFile => ({ ...changedPath, text: own.get(changedPath.path)?.slice(0, MOST_CHARS) }),
  );
  const prepare = prepareCommands(batch.repos[repo.id]?.prepare ?? []);
  const scanned = await scans.classify({ command: step.command, prepare, base: { files, texts }, changed, isRed });
  return scanned.ok ? { ok: true, value: { ...scanned.value, trusted, files } } : scanned;
}
