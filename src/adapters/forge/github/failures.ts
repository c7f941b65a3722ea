import { z } from "zod";
import { boundedHead, boundedTail, plainText } from "../../../domain/values/text.ts";
import type { FailedCheck, PastCheck } from "../../../ports/forge.ts";
import { checkName, plainUrl } from "./checks.ts";
import { type CheckRun, hasFailed, type Job, listAllCheckRuns, listJobs, listNewestCheckRuns } from "./jobs.ts";
import { listNotes, noted } from "./noted.ts";
import { readReports, readsFor } from "./reports.ts";
import type { GitHubRepository } from "./repository.ts";
import { listStatuses } from "./statuses.ts";

/** The end of a log that is kept. Bytes. */
const MOST_LOG = 256 * 1024;
const MOST_ANNOTATIONS = 50;
/** Runs of checks that are looked at for their history. */
const MOST_PAST = 20;
/** Characters of an annotation, or of what an app says about its check. */
const MAX_WORDS = 4000;

const Annotations = z.array(
  z.object({
    path: z.string(),
    start_line: z.number(),
    annotation_level: z.string().nullable(),
    message: z.string().nullable(),
  }),
);

type Annotation = FailedCheck["annotations"][number];
type Reads = Awaited<ReturnType<typeof readReports>>;

/** The words of a job's machine, and notes about those that could not be had. */
interface Told {
  readonly log: string;
  readonly notes: readonly string[];
  readonly reports: FailedCheck["reports"];
}

/**
 * Reads the failed checks of a commit: the ends of their logs, annotations, and reports among the artifacts. A part that cannot be had is
 * left out, with a note at the end of the log. A check that has not failed any more is left out.
 */
export async function readFailedChecks(
  repository: GitHubRepository,
  head: string,
  names: readonly string[],
): Promise<readonly FailedCheck[]> {
  const wanted = new Set(names);
  // An agent waits for these words: what can be asked at the same time is. The client sends ten requests at once at most.
  const [newest, statuses, listed] = await Promise.all([
    listNewestCheckRuns(repository, head, wanted),
    failedStatuses(repository, head, wanted),
    noted("its jobs", () => listJobs(repository, head)),
  ]);
  const jobs = listed.got ?? new Map<number, Job>();
  const readsByRun = new Map<number, Promise<Reads>>();
  const jobReads = async (job: Job): Promise<Reads> => {
    const reads = readsByRun.get(job.run_id) ?? readReports(repository, job.run_id);
    readsByRun.set(job.run_id, reads);
    return readsFor(await reads, job, siblings(jobs, job));
  };
  const failures = newest.filter(hasFailed).map((run) => {
    const job = jobs.get(run.id);
    const told = job === undefined ? toldByApp(run, listNotes(listed)) : toldByJob(repository, job, jobReads(job));
    return readFailure(repository, run, told);
  });
  return [...(await Promise.all(failures)), ...statuses];
}

/** Reads all runs of checks on a commit that have ended, the newest of many. See `PullRequests.history`. */
export async function readHistory(
  repository: GitHubRepository,
  commit: string,
  names: readonly string[],
): Promise<readonly PastCheck[]> {
  const runs = (await listAllCheckRuns(repository, commit, new Set(names)))
    .filter(({ status }) => status === "completed")
    .toSorted((a, b) => b.id - a.id)
    .slice(0, MOST_PAST);
  const listed = runs.some(hasFailed) ? await noted("its jobs", () => listJobs(repository, commit, "all")) : undefined;
  const past: PastCheck[] = [];
  for (const run of runs) {
    const job = listed?.got?.get(run.id);
    if (!hasFailed(run)) past.push({ name: checkName(run.name) });
    else {
      const told = job === undefined ? toldByApp(run, []) : toldByJob(repository, job, []);
      past.push({ name: checkName(run.name), failure: await readFailure(repository, run, told) });
    }
  }
  return past;
}

function siblings(jobs: ReadonlyMap<number, Job>, { run_id }: Job): readonly Job[] {
  return [...jobs.values()].filter((job) => job.run_id === run_id);
}

async function readFailure(repository: GitHubRepository, run: CheckRun, told: Told | Promise<Told>): Promise<FailedCheck> {
  const [annotations, { log, notes, reports }] = await Promise.all([
    noted("its annotations", () => readAnnotations(repository, run)),
    told,
  ]);
  return {
    name: checkName(run.name),
    url: run.details_url !== null ? plainUrl(run.details_url) : undefined,
    log: [log.trimEnd(), ...notes, ...listNotes(annotations)].filter((part) => part !== "").join("\n"),
    annotations: annotations.got ?? [],
    reports,
  };
}

/** Reads the log and the reports of a job of GitHub Actions. */
async function toldByJob(repository: GitHubRepository, job: Job, reads: Reads | Promise<Reads>): Promise<Told> {
  const [log, read] = await Promise.all([noted("its log", () => downloadLog(repository, job)), reads]);
  const notes = [...listNotes(log), ...read.flatMap(({ note }) => note ?? [])];
  return { log: log.got ?? "", notes, reports: read.flatMap(({ reports }) => reports) };
}

/** Takes an app's own words about its check; `notes` say why there is nothing of a job. */
function toldByApp({ output: { title, summary, text } }: CheckRun, notes: readonly string[]): Told {
  const words = [title, summary, text].filter((part) => part !== null && part !== "").join("\n\n");
  return { log: boundedTail(words, MAX_WORDS), notes, reports: [] };
}

async function downloadLog(repository: GitHubRepository, { id: job_id }: Job): Promise<string> {
  const { bytes, isCut } = await repository.download(
    "fetch the log",
    (rest, name) => rest.actions.downloadJobLogsForWorkflowRun({ ...name, job_id }),
    { keep: "end", mostBytes: MOST_LOG },
  );
  const text = bytes.toString("utf8");
  // A cut in the middle of a line leaves half of it.
  const whole = isCut ? text.slice(text.indexOf("\n") + 1) : text;
  // GitHub begins each line with its time.
  return whole.replace(/^\ufeff?\d{4}-\d\d-\d\dT[\d:.]+Z ?/gm, "");
}

async function readAnnotations(repository: GitHubRepository, { id: check_run_id }: CheckRun): Promise<readonly Annotation[]> {
  const annotations = await repository.read("list its annotations", Annotations, (rest, name) =>
    rest.checks.listAnnotations({ ...name, check_run_id, per_page: MOST_ANNOTATIONS }),
  );
  return annotations.map(({ path, start_line, annotation_level, message }) => ({
    path: plainText(path, 300),
    line: start_line,
    level: plainText(annotation_level ?? "failure", 20),
    message: boundedHead(message ?? "", MAX_WORDS),
  }));
}

async function failedStatuses(
  repository: GitHubRepository,
  head: string,
  wanted: ReadonlySet<string>,
): Promise<readonly FailedCheck[]> {
  const statuses = await listStatuses(repository, head);
  return statuses
    .filter(({ context, state }) => wanted.has(checkName(context)) && (state === "failure" || state === "error"))
    .map(({ context, description, target_url }) => ({
      name: checkName(context),
      url: target_url !== null ? plainUrl(target_url) : undefined,
      log: boundedTail(description ?? "", MAX_WORDS),
      annotations: [],
      reports: [],
    }));
}
