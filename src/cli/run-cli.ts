import { existsSync } from "node:fs";
import { writeAll } from "./print.ts";
import type { Request } from "./program.ts";
import { reportErrors } from "./report-errors.ts";
import { VERSION } from "./version.ts";

/** Hidden verb: the process that runs git for an engine (see git-helper.ts). */
const GIT_VERB = "__git";

/** Hidden verb: the process that sends the notices of an engine (see notice-process.ts). */
const NOTICES_VERB = "__notices";

/** Hidden verb: the thread that reads test results for an engine (see results-reader.ts). */
const RESULTS_VERB = "__results";

/** Hidden verb: the thread that scans a worker's text for an engine (see text-scans.ts). */
const SCAN_VERB = "__scan";

/** Hidden verb: the thread that reads the tracker for an engine (see reading-thread.ts). */
const TRACKER_VERB = "__tracker";

/** Hidden verb: the thread that reads kept results of prepare commands (see prepared-trees/serve-tree.ts). */
const TREE_VERB = "__tree";

/** Hidden verb for the scripts of `completion`: `complete -- <words>`. The package sets the name. */
const COMPLETE_VERB = "complete";

async function serveScan(): Promise<number> {
  (await import("../adapters/text-scans/serve-scan.ts")).serveScan();
  return 0;
}

async function sendNotices(): Promise<number> {
  const { systemClock } = await import("../adapters/clock/system-clock.ts");
  await (await import("../adapters/notice/notice-process.ts")).runNoticeProcess(systemClock);
  return 0;
}

async function serveReading(): Promise<number> {
  (await import("../adapters/tracker/serve-reading.ts")).serveReading();
  return 0;
}

async function serveTree(): Promise<number> {
  (await import("../adapters/prepared-trees/serve-tree.ts")).serveTree();
  return 0;
}

async function serveResults(): Promise<number> {
  (await import("../adapters/test-results/serve-results.ts")).serveResults();
  return 0;
}

async function serveGit(): Promise<number> {
  await (await import("../adapters/vcs/git/serve-git.ts")).serveGit();
  return 0;
}

/** Runs one command and returns its exit code. Verbs are loaded on demand, so that small ones start fast. */
export async function runCli(argv: readonly string[]): Promise<number> {
  return reportErrors(async () => {
    if (argv[0] === GIT_VERB) return await serveGit();
    if (argv[0] === NOTICES_VERB) return await sendNotices();
    if (argv[0] === RESULTS_VERB) return await serveResults();
    if (argv[0] === TRACKER_VERB) return await serveReading();
    if (argv[0] === TREE_VERB) return await serveTree();
    if (argv[0] === SCAN_VERB) return await serveScan();
    if (argv[0] === COMPLETE_VERB && argv[1] === "--") return (await import("./verbs/completion.ts")).complete(argv.slice(2));
    return await begin(argv);
  });
}

/** Performs a verb in an environment whose paths are real, and whose PATH no clone can fill. Help needs neither. */
async function begin(argv: readonly string[]): Promise<number> {
  if (argv.length === 0) return printed(firstSteps(existsSync(DEFAULT_BATCH)));
  const request = (await import("./args.ts")).readArgs(argv);
  if (request.verb === "help") return printed(request.text);
  if (request.verb === "version") return printed(`${VERSION}\n`);
  (await import("./real-places.ts")).settlePlaces(process.env, argv);
  const { closePath, clonesHere } = await import("./safe-path.ts");
  closePath(process.env, clonesHere());
  return await perform(request);
}

/** The file that `loopdash init` writes unless another is named. */
const DEFAULT_BATCH = "batch.json";

/** What `loopdash` alone says. It starts nothing: agents cost money. */
function firstSteps(hasBatch: boolean): string {
  const steps = hasBatch
    ? [
        [`loopdash ${DEFAULT_BATCH}`, "start it, or resume its unfinished run"],
        [`loopdash ${DEFAULT_BATCH} --dry-run`, "check it and print the plan; start nothing"],
        [`loopdash doctor ${DEFAULT_BATCH} --prepare`, "is everything there that a run needs"],
        ["loopdash attach", "the dashboard of the latest run"],
      ]
    : [["loopdash init", "ask a few questions, write one and check it"]];
  const lines = [...steps, ["loopdash --help", "all verbs and options"]].map(
    ([command, does]) => `  ${command?.padEnd(38)}${does}`,
  );
  const head = `This folder has ${hasBatch ? "a" : "no"} ${DEFAULT_BATCH}.`;
  return `loopdash works a batch of tickets with coding agents. ${head}\n\n${lines.join("\n")}\n`;
}

function printed(text: string): number {
  writeAll(1, text);
  return 0;
}

async function perform(request: Exclude<Request, { verb: "help" | "version" }>): Promise<number> {
  switch (request.verb) {
    case "run":
      if (request.dryRun) return (await import("./verbs/deferred-verbs.ts")).dryRun(request);
      return (await import("./verbs/run.ts")).run(request);
    case "init":
      return (await import("./verbs/deferred-verbs.ts")).init(request.flags);
    case "ci":
      return (await import("./verbs/deferred-verbs.ts")).ci(request.flags);
    case "improve":
      return (await import("./verbs/deferred-verbs.ts")).improve(request.flags);
    case "bound":
      return (await import("./verbs/deferred-verbs.ts")).bound(request.flags);
    case "lint":
      return (await import("./verbs/deferred-verbs.ts")).lint(request.flags);
    case "oracle":
      return (await import("./verbs/deferred-verbs.ts")).oracle(request.batch);
    case "cache":
      return (await import("./verbs/deferred-verbs.ts")).cache(request);
    case "doctor":
      return (await import("./verbs/deferred-verbs.ts")).doctor(request);
    case "harness":
      return (await import("./verbs/deferred-verbs.ts")).harness(request);
    case "tracker":
      return (await import("./verbs/deferred-verbs.ts")).trackerCheck(request.command);
    case "guard":
      return (await import("@loopdash/guard/program")).guardCheck(request);
    case "guard-setup":
      return (await import("./verbs/deferred-verbs.ts")).guardSetup(request);
    case "hook":
      return (await import("./guard/run-guard.ts")).runHook(request.args);
    case "completion":
      return (await import("./verbs/completion.ts")).completion(request.shell);
    default:
      return performOnRun(request);
  }
}

type RunVerb =
  | "add"
  | "attach"
  | "replay"
  | "report"
  | "report-bundle"
  | "notify"
  | "retry"
  | "revert"
  | "rule"
  | "runs"
  | "watch"
  | "status"
  | "verify"
  | "verify-journal";

/** Verbs about runs that have begun. */
async function performOnRun(request: Extract<Request, { verb: RunVerb }>): Promise<number> {
  switch (request.verb) {
    case "attach":
      return (await import("./verbs/attach.ts")).attach(request.run);
    case "replay":
      return (await import("./verbs/replay.ts")).replay(request);
    case "status":
      return (await import("./verbs/status.ts")).status(request.run, request.json);
    case "verify":
      return (await import("./verbs/deferred-verbs.ts")).verify(request.run, request.ticket);
    case "revert":
      return (await import("./verbs/deferred-verbs.ts")).revert(request.run, request.ticket);
    case "retry":
      return (await import("./verbs/deferred-verbs.ts")).retry(request.run, request.tickets);
    case "notify":
      return (await import("./verbs/deferred-verbs.ts")).notifyTest(request.batch);
    case "rule":
      return (await import("./verbs/deferred-verbs.ts")).rule(request.run, request.ticket, request.ruling);
    case "runs":
      return (await import("./verbs/deferred-verbs.ts")).runs(request.json);
    case "watch":
      return (await import("./verbs/watch.ts")).watchRuns(request);
    case "report":
      return (await import("./verbs/deferred-verbs.ts")).report(request.run, request.format);
    case "report-bundle":
      return (await import("./verbs/deferred-verbs.ts")).reportBundle(request.run, request.folder, request.isForced);
    case "verify-journal":
      return (await import("./verbs/deferred-verbs.ts")).verifyJournal(request.run, request.json);
    case "add":
      return (await import("./verbs/deferred-verbs.ts")).add(request.run, request.ticket);
  }
}
