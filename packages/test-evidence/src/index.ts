/** Test results compared run with run, and what in a change decides results: pure functions. */
export { brokenTests, brokenTestsLine, failingAmong } from "./compare/broken-tests.ts";
export { type CheckTimes, timesParts } from "./compare/check-times.ts";
export { type Comparison, compareRuns, type Remark, tests } from "./compare/compare.ts";
export { CONDITION_CHARS, COUNTS, parseCondition, unmetComparisons } from "./compare/condition.ts";
export { failingUnnamed, fixFindings, type NamedFixes } from "./compare/fixes.ts";
export { type FilesMoved, withFormerNames } from "./compare/former-names.ts";
export type { Hunk, Suppression } from "./compare/hunk.ts";
export { SEARCHED_NAMES } from "./compare/languages.ts";
export {
  type Allowance,
  type CheckStrength,
  NO_TALLY,
  type TestOutcome,
  type TestResult,
  type TestRun,
  type TestsMoved,
  tallies,
} from "./compare/results.ts";
export { calledScripts } from "./compare/scripts.ts";
export { canDecide, canShadow, isDependency, isTestPath, isToolConfiguration } from "./compare/sealed-paths.ts";
export { alignSuiteName, namedAsOn } from "./compare/suite-name.ts";
export { failingOnBaseLine, findingsLine, findingsText, newTestsLine, passedLine, proofLine } from "./compare/summary-lines.ts";
export { suppressionsIn } from "./compare/suppressions.ts";
export { casesGone, mayHoldTests, testCasesIn } from "./compare/test-cases.ts";
export { matchesWildcard } from "./compare/wildcard.ts";
export {
  type ChangedFile,
  type ChangeToClassify,
  type ClassifiedChange,
  classifyChange,
  isReadForProof,
} from "./proof/code-under-test.ts";
export { findDefinition, type TrustedTree } from "./proof/definition.ts";
export { findNeeded } from "./proof/find-needed.ts";
export { type FoundRunner, findRunners } from "./proof/find-runner.ts";
export {
  type ExpectedPasses,
  expectedPasses,
  findingsIn,
  forgeryWords,
  isClean,
  type ProofFindings,
  type ProofRun,
  passingNames,
  unfitFiles,
  withoutExcused,
} from "./proof/findings.ts";
export { filesLoading } from "./proof/loads.ts";
export { makeTests } from "./proof/makefile-tests.ts";
export { isAllowedToJudge, type JudgeAllowance, trustsAny } from "./proof/permission.ts";
export { isManifest, isRunnerFile, runnerPart } from "./proof/runner-settings.ts";
export { RUNNERS } from "./proof/runners.ts";
export { selectTests } from "./proof/selection.ts";
export { commandTestFiles } from "./proof/test-files.ts";
export type { Draw, TwinnedFile } from "./proof/twin.ts";
export { tokenize } from "./proof/twins/tokens.ts";
export { twinsFor } from "./proof/twins/twins-for.ts";
