import type { Remark } from "../../domain/evidence/compare.ts";
import { SEARCHED_NAMES } from "../../domain/evidence/languages.ts";
import type { Allowance } from "../../domain/evidence/results.ts";
import { plainText } from "../../domain/values/text.ts";
import type { TextScans } from "../../ports/text-scans.ts";
import type { Candidate, Repo } from "../../ports/vcs.ts";

/** A candidate, and what its ticket may do. */
interface Searched {
  readonly repo: Repo;
  readonly candidate: Extract<Candidate, { ok: true }>;
  readonly allow: Allowance;
}

/** Findings against a candidate that adds suppressions. */
export async function suppressionFindings(scans: TextScans, { repo, candidate, allow }: Searched): Promise<readonly Remark[]> {
  if (allow.suppressions) return [];
  const { diff, whole } = await repo.changedLines({ from: candidate.base, tip: candidate.commit, names: SEARCHED_NAMES });
  if (!whole) return [{ says: "the change is too long to be searched for suppressions", ids: [] }];
  const scanned = await scans.suppressions(diff);
  if (!scanned.ok) return [unsearched("the change", scanned.problem)];
  const { count, first } = scanned.value;
  if (count === 0) return [];
  const says = count === 1 ? "1 suppression added" : `${count} suppressions added`;
  return [{ says, ids: first.map(({ path, line, what, text }) => `${path}${line > 0 ? `:${line}` : ""} (${what}) ${text}`) }];
}

/** An unfinished scan is no proof that there is nothing. */
export function unsearched(what: string, problem: string): Remark {
  return { says: `${what} could not be searched: the search ${plainText(problem, 200)}`, ids: [] };
}
