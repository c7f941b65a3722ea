import { z } from "zod";
import { plainText } from "../../../domain/values/text.ts";
import type { FailedCheck } from "../../../ports/forge.ts";
import { newestByKey } from "./checks.ts";
import type { Job } from "./jobs.ts";
import { noted } from "./noted.ts";
import { allPages, type GitHubRepository, PAGE } from "./repository.ts";
import { readZip } from "./zip-reader.ts";

const MIB = 1024 * 1024;
/** The largest artifact that is looked into. Bytes. */
const MOST_ARTIFACT = 5 * MIB;
/** Artifacts of one run that are looked into. */
const MOST_ARTIFACTS = 10;
const MOST_FILES = 20;
/** The largest report. Bytes. */
const MOST_REPORT = MIB;
const MOST_PAGES = 3;

const Artifacts = z.object({
  artifacts: z.array(z.object({ id: z.number(), name: z.string(), size_in_bytes: z.number(), expired: z.boolean() })),
});
type Artifact = z.infer<typeof Artifacts>["artifacts"][number];

/** A file of a report: its name, and its text. */
export type Report = FailedCheck["reports"][number];

/** An artifact's reports, or a note that says why there are none. */
interface Read {
  readonly artifact: string;
  readonly reports: readonly Report[];
  readonly note?: string;
}

/** Reads the reports that a run left in its artifacts: files of JUnit, TAP and SARIF. */
export async function readReports(repository: GitHubRepository, run_id: number): Promise<readonly Read[]> {
  const listed = await noted("its artifacts", () =>
    allPages(MOST_PAGES, async (page) => {
      const { artifacts } = await repository.read("list its artifacts", Artifacts, (rest, name) =>
        rest.actions.listWorkflowRunArtifacts({ ...name, run_id, per_page: PAGE, page }),
      );
      return artifacts;
    }),
  );
  if (listed.note !== undefined) return [{ artifact: "", reports: [], note: listed.note }];
  const usable = newestByKey(
    listed.got.filter(({ expired, size_in_bytes }) => !expired && size_in_bytes <= MOST_ARTIFACT),
    ({ name }) => name,
    ({ id }) => id,
  );
  return Promise.all(usable.slice(0, MOST_ARTIFACTS).map((artifact) => readArtifact(repository, artifact)));
}

async function readArtifact(repository: GitHubRepository, artifact: Artifact): Promise<Read> {
  const name = plainText(artifact.name, 100);
  const { got: reports = [], note } = await noted(`the artifact ${name}`, () => reportsIn(repository, artifact));
  return { artifact: artifact.name, reports, note };
}

/** The reads that are about this job: an artifact that has a job's name in its own belongs to that job. */
export function readsFor(reads: readonly Read[], job: Job, all: readonly Job[]): readonly Read[] {
  return reads.filter(({ artifact }) => {
    const named = all.filter(({ name }) => artifact.includes(name)).sort((a, b) => b.name.length - a.name.length);
    return named[0] === undefined || named[0].name === job.name;
  });
}

async function reportsIn(repository: GitHubRepository, { id: artifact_id }: Artifact): Promise<readonly Report[]> {
  const { bytes } = await repository.download(
    "fetch an artifact",
    (rest, name) => rest.actions.downloadArtifact({ ...name, artifact_id, archive_format: "zip" }),
    { keep: "all", mostBytes: MOST_ARTIFACT },
  );
  const files = readZip(bytes, { wants: isReport, mostFiles: MOST_FILES, mostBytes: MOST_REPORT });
  return files.map((file) => ({ name: plainText(file.name, 200), text: file.bytes.toString("utf8") }));
}

function isReport(name: string): boolean {
  return /\.(?:xml|tap|sarif)$/i.test(name);
}
