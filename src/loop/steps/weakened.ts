import type { Allowance, Remark } from "@loopdash/test-evidence";
import {
  calledScripts,
  casesGone,
  findingsLine,
  findingsText,
  isManifest,
  isRunnerFile,
  isTestPath,
  matchesWildcard,
  mayHoldTests,
  runnerPart,
  testCasesIn,
} from "@loopdash/test-evidence";
import { jsonMembers, objectMembers } from "@loopdash/values";
import { isWorkflowOrAction } from "../../domain/batch/default-protect.ts";
import { boundedHead, firstFewLine, plural } from "../../domain/values/text.ts";
import type { ChangedPath, Repo } from "../../ports/vcs.ts";
import type { StepScope } from "../programs/scope.ts";
import { suppressionFindings } from "./compare-tests.ts";
import type { Built, StepContext, StepFailed } from "./step.ts";

/** Characters of the findings, for the next attempt. */
const DETAIL_CHARS = 2_800;

const PACKAGE_JSON = /(?:^|\/)package\.json$/;

/** A candidate, the paths that it changes, and the texts of those before and after. */
interface Searched {
  readonly repo: Repo;
  readonly candidate: Built;
  readonly allow: Allowance & { readonly configuration?: boolean | undefined };
  readonly paths: readonly ChangedPath[];
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
}

/**
 * Finds what a candidate takes away from the checks that are to judge it, as far as its text shows it: tests, suppressions, scripts that checks
 * run, and settings of test runners. No check of this machine does so before it is pushed to a branch. Undefined if there is nothing.
 */
export async function weakenedBy(
  { scans }: Pick<StepContext, "scans">,
  { ticket }: StepScope,
  repo: Repo,
  candidate: Built,
): Promise<StepFailed | undefined> {
  const allow = ticket.allow ?? { testsRemoved: [], testsSkipped: [], suppressions: false };
  const { paths } = await repo.change({ from: candidate.base, tip: candidate.commit });
  const names = paths.map(({ path }) => path).filter((path) => isManifest(path) || mayHoldTests(path) || isTestPath(path));
  const [before, after] = await Promise.all([
    repo.readFiles({ commit: candidate.base, paths: names }),
    repo.readFiles({ commit: candidate.commit, paths: names }),
  ]);
  const searched = { repo, candidate, allow, paths, before, after };
  const findings = [
    ...allowedBy("tests", testsGone(searched)),
    ...allowedBy("scripts", await otherScripts(searched)),
    ...allowedBy("configuration", otherSettings(searched)),
    ...allowedBy("suppressions", await suppressionFindings(scans, searched)),
  ];
  if (findings.length === 0) return undefined;
  const detail = boundedHead(findingsText(findings), DETAIL_CHARS);
  return { ok: false, evidence: { step: "merge", name: "checks", summary: findingsLine(findings), detail } };
}

/** Names the permission of a person by which a finding would be none. */
function allowedBy(what: string, findings: readonly Remark[]): readonly Remark[] {
  return findings.map(({ says, ids }) => ({ says: `${says} (a person can allow it: --allow ${what})`, ids }));
}

/** Tests that are declared nowhere in the change any more, and files of tests without any that are gone without having been moved. */
function testsGone({ allow, paths, before, after }: Searched): readonly Remark[] {
  const testCases = (texts: ReadonlyMap<string, string>) =>
    [...texts].flatMap(([path, text]) => (mayHoldTests(path) ? testCasesIn(path, text) : []));
  const isAllowed = (name: string) => allow.testsRemoved.some((pattern) => matchesWildcard(pattern, name));
  const cases = casesGone(testCases(before), testCases(after)).filter((name) => !isAllowed(name));
  const texts = new Set([...after].flatMap(([path, text]) => (isTestPath(path) ? [text] : [])));
  const files = paths.flatMap(({ path, how }) => {
    const text = before.get(path);
    const isMoved = text !== undefined && texts.has(text);
    const hasCases = text !== undefined && testCasesIn(path, text).length > 0;
    return how === "deleted" && isTestPath(path) && !isMoved && !hasCases && !isAllowed(path) ? [path] : [];
  });
  return [
    ...(cases.length === 0 ? [] : [{ says: `${plural(cases.length, "test")} removed or renamed`, ids: cases }]),
    ...(files.length === 0 ? [] : [{ says: `${plural(files.length, "file")} of tests deleted`, ids: files }]),
  ];
}

/** Scripts of package.json files that the checks run, by what workflows and other scripts name. */
async function otherScripts({ repo, candidate, allow, before, after }: Searched): Promise<readonly Remark[]> {
  const manifests = [...before].filter(([path]) => PACKAGE_JSON.test(path));
  if (allow.scripts === true || manifests.length === 0) return [];
  const files = (await repo.files(candidate.base)).filter(isWorkflowOrAction);
  const workflows = [...(await repo.readFiles({ commit: candidate.base, paths: files })).values()];
  const ids = manifests.flatMap(([path, text]) => {
    const [old, own] = [scriptsIn(text), scriptsIn(after.get(path) ?? "")];
    const called = calledScripts(text, workflows).flatMap((name) => [`pre${name}`, name, `post${name}`]);
    const names = [...new Set(called)].filter((name) => JSON.stringify(old[name]) !== JSON.stringify(own[name]));
    return names.map((name) => (path === "package.json" ? name : `${path}: ${name}`));
  });
  return ids.length === 0 ? [] : [{ says: `the script that the check runs was changed: ${firstFewLine(ids, 4)}`, ids }];
}

function scriptsIn(packageJson: string): Readonly<Record<string, unknown>> {
  return { __proto__: null, ...objectMembers(jsonMembers(packageJson)["scripts"]) };
}

/** Files that steer test runners or programs that run scripts. Of manifests, the part that does. */
function otherSettings({ allow, paths, before, after }: Searched): readonly Remark[] {
  if (allow.configuration === true) return [];
  const ids = paths.flatMap(({ path, mode }) => {
    const isLink = mode === "symlink" && isManifest(path);
    const parts = [before, after].map((texts) => runnerPart(path, texts.get(path) ?? ""));
    const isOther = isManifest(path) && parts[0] !== parts[1];
    return isRunnerFile(path) || SCRIPT_SETTINGS.test(path) || isLink || isOther ? [path] : [];
  });
  return ids.length === 0 ? [] : [{ says: `settings of test runners were changed: ${firstFewLine(ids, 4)}`, ids }];
}

/** Settings of pnpm, yarn and bun: they may run another program in place of a script. */
const SCRIPT_SETTINGS = /(?:^|\/)(?:\.pnpmfile\.[cm]?js|\.yarnrc(?:\.yml)?|bunfig\.toml)$/;
