import { displayValue, hintFor } from "@loopdash/values";
import { checkCommand, checkReferences, checkVariables, type SecretRules } from "./check-secrets.ts";
import { unfitForPath } from "./plain-words.ts";
import { type BatchProblem, type Locate, type NoteProblem, problemAt, sortProblems } from "./problem.ts";
import type { BatchFile } from "./schema.ts";
import type { ServiceSpec, TrackerProgramSpec } from "./tracker-spec.ts";

/** Reports problems of a tracker whose tickets are in the file's list. */
export function checkTracker(file: BatchFile, report: NoteProblem): void {
  const { tracker } = file;
  const none = (at: readonly string[], message: string, hint: string) => {
    if (file.tickets.length === 0) report(at, message, hint);
  };
  switch (tracker.kind) {
    case "command":
      checkTrackerProgram(tracker, file, report);
      return none(["tracker", "command"], "its program shows no tickets", "run it with `snapshot`, and look at its query");
    case "linear":
    case "github":
      // A query may select nothing any more when a run goes on; a new run without tickets is refused.
      return checkService(tracker, file, report);
    case "local": {
      const { path } = tracker;
      if (path === undefined)
        return none(
          ["tickets"],
          "the batch has no tickets",
          'list them under "tickets", or name a folder of them in tracker.path',
        );
      const unfit = unfitForPath(path);
      if (unfit !== undefined) report(["tracker", "path"], unfit);
      return none(["tracker", "path"], "the folder holds no tickets", "a ticket is a Markdown file");
    }
  }
}

/** The problems for which a tracker cannot even be asked for the tickets. */
export function trackerProblems(file: BatchFile, locate: Locate): readonly BatchProblem[] {
  const problems: BatchProblem[] = [];
  const report: NoteProblem = (path, message, hint) => problems.push(problemAt(locate, path, message, hint));
  const { tracker } = file;
  if (tracker.kind === "command") checkTrackerProgram(tracker, file, report);
  if (tracker.kind === "linear" || tracker.kind === "github") {
    checkService(tracker, file, report);
    const keys = QUERIES[tracker.kind];
    if (file.tickets.length === 0 && keys.every((key) => !Object.hasOwn(tracker, key)))
      report(["tracker"], "names no tickets", `list ids under "tickets", or add ${keys.map(displayValue).join(", ")}`);
  }
  return sortProblems(problems);
}

/** The keys that select tickets of a service, each by itself. */
const QUERIES: Readonly<Record<ServiceSpec["kind"], readonly string[]>> = {
  linear: ["team", "project", "label", "view", "filter"],
  github: ["labels", "milestone", "project", "search"],
};

function checkTrackerProgram(tracker: TrackerProgramSpec, rules: SecretRules, report: NoteProblem): void {
  checkCommand(tracker.command, ["tracker", "command"], report);
  checkVariables(tracker, ["tracker"], rules, report);
}

function checkService(tracker: ServiceSpec, file: BatchFile, report: NoteProblem): void {
  for (const key of ["token", "oracleToken"] as const) {
    const name = tracker[key];
    if (name !== undefined) checkReferences(`{secret:${name}}`, ["tracker", key], file, report);
  }
  if (tracker.webhook !== undefined)
    checkReferences(`{secret:${tracker.webhook.secret}}`, ["tracker", "webhook", "secret"], file, report);
  if (file.sandbox !== "required") {
    const why = `is ${displayValue(file.sandbox)}, which lets agents run without a sandbox, and they could read the tracker's token`;
    report(["sandbox"], why, 'set "sandbox": "required"');
  }
  if (tracker.kind === "linear" && tracker.cycle !== undefined && tracker.team === undefined)
    report(["tracker", "cycle"], "needs the team that it is a cycle of", 'add "team"');
  if (tracker.kind !== "github") return;
  for (const repo of Object.keys(tracker.repos ?? {})) {
    if (Object.hasOwn(file.repos, repo)) continue;
    const hint = hintFor(repo, Object.keys(file.repos), "known here");
    report(["tracker", "repos", repo], `the batch has no repository ${displayValue(repo)}`, hint);
  }
}
