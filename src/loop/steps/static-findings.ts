import type { Remark } from "../../domain/evidence/compare.ts";
import { SEARCHED_NAMES } from "../../domain/evidence/languages.ts";
import type { Allowance } from "../../domain/evidence/results.ts";
import { plainText } from "../../domain/values/text.ts";
import type { ScriptChange, TextScans } from "../../ports/text-scans.ts";
import type { Candidate, Repo } from "../../ports/vcs.ts";

/** A candidate, and what its ticket may do. */
interface Searched {
  readonly repo: Repo;
  readonly candidate: Extract<Candidate, { ok: true }>;
  readonly allow: Allowance;
}

/** Findings against a candidate that changes one of these scripts of package.json, or what steers their runner. */
export async function scriptsChanged(
  scans: TextScans,
  { repo, candidate, allow, runs }: Searched & { readonly runs: readonly ScriptChange["runs"][] },
): Promise<readonly Remark[]> {
  if (allow.scripts === true || runs.length === 0) return [];
  const { paths } = await repo.change({ from: candidate.base, tip: candidate.commit });
  const changed = paths.map(({ path }) => path);
  const at = (commit: string) => repo.readFile({ commit, path: "package.json" });
  const [before, after] = changed.includes("package.json") ? await Promise.all([at(candidate.base), at(candidate.commit)]) : [];
  const findings: Remark[] = [];
  for (const each of runs) {
    const scanned = await scans.scripts({ runs: each, changed, before, after });
    findings.push(...(scanned.ok ? scanned.value : [unsearched("package.json", scanned.problem)]));
  }
  return findings;
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
