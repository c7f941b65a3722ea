/** What failed in a job, from what it printed and reported. Pure. */
export { Finding } from "./finding.ts";
export { parseFailedJob } from "./findings.ts";
export {
  eitherRun,
  type FlakyTests,
  failingTests,
  flakyAmong,
  flakyLine,
  flakyTests,
  type JobRecord,
  testRecords,
  withFlaky,
} from "./flaky.ts";
export { jobsToRerun } from "./infrastructure.ts";
export { type Triage, type TriageJson, type TriageMeta, triageCheck } from "./triage.ts";
export { endOfOutput, whatFailed } from "./what-failed.ts";
