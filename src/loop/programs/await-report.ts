import type { ResultsReading } from "@loopdash/test-evidence/reports";
import { reportLocation } from "../../domain/batch/report-location.ts";
import type { CheckReport, WrittenReport } from "../../domain/batch/step-spec.ts";
import type { FoundResults, TestResultsReader } from "../../ports/test-results.ts";
import { OutputStream } from "./run-in.ts";

/** Characters of output that are kept if the output is the report. */
const MAX_OUTPUT = 64 * 1024 * 1024;

/** A report that a command is about to write. */
interface Awaited {
  /** Takes the command's output, if that may be the report. */
  readonly onLine?: (line: string, stream: "stdout" | "stderr") => void;
  /** Set if its runners are made to report. */
  readonly found?: Pick<FoundResults, "variables" | "reporters">;
  /** Reads the report once the command and all its processes have ended. */
  read(): Promise<ResultsReading>;
}

/** The folders that may hold a report. All absolute paths outside of a sandbox. */
export interface ReportFolders {
  readonly checkout: string;
  readonly artifacts: string;
  /** The places of what the command writes to them: the folders themselves, or the layers over them. */
  readonly written: { readonly checkout: string; readonly artifacts: string };
  /** The command's own paths of these folders, which are no part of a test's id. */
  readonly roots: readonly string[];
}

/** Prepares the place of a check's report; undefined if the check has none. Call it right before the command starts. */
export async function awaitReport(
  reports: TestResultsReader,
  spec: CheckReport | undefined,
  folders: ReportFolders,
): Promise<Awaited | undefined> {
  if (spec === undefined) return undefined;
  if (spec.format === "found") return findResults(reports, folders);
  const place = reportLocation(spec);
  const { roots, written } = folders;
  if (place.in === "output") return readOutput(reports, spec, roots);
  const awaited = await reports.await({
    format: spec.format,
    folder: folders[place.in],
    path: place.path,
    written: written[place.in],
  });
  return { read: () => awaited.read(roots) };
}

async function findResults(reports: TestResultsReader, { roots, written }: ReportFolders): Promise<Awaited> {
  // Some runners name their tests on stderr.
  const streams = [new OutputStream(MAX_OUTPUT), new OutputStream(MAX_OUTPUT, "stderr")];
  const found = await reports.find(written);
  return {
    onLine(line, stream) {
      for (const each of streams) each.onLine(line, stream);
    },
    found,
    read: () =>
      found.read(
        streams.map((each) => each.text() ?? ""),
        roots,
      ),
  };
}

function readOutput(reports: TestResultsReader, { format }: WrittenReport, roots: readonly string[]): Awaited {
  const stdout = new OutputStream(MAX_OUTPUT);
  return {
    onLine: stdout.onLine,
    read: () => {
      const text = stdout.text();
      if (text === undefined)
        return Promise.resolve({ ok: false, absent: false, problem: `the output is longer than ${MAX_OUTPUT} characters` });
      if (text === "") return Promise.resolve({ ok: false, absent: true, problem: "the command printed nothing" });
      return reports.parse({ format, text, roots });
    },
  };
}
