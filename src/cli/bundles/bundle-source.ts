import { readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { readJson } from "@loopdash/values";
import { z } from "zod";
import { readArchive } from "../../adapters/archive/read-archive.ts";
import { type Summed, sumFile } from "../../adapters/file-sum.ts";
import { readPlainFile } from "../../adapters/plain-file.ts";
import { BUNDLE_JSON, BundledRun } from "../../domain/bundle/bundle.ts";
import { RUN_FILES } from "../../domain/bundle/run-bundle.ts";
import { JournalBroken, type JournalRow, type RunStore, type Tip } from "../../ports/run-store.ts";
import { GIVEN_UP, type RecordedRun } from "../find-run.ts";

/** The longest text of a bundle in a folder, in bytes. */
const TEXT_BYTES = 256 * 1024 * 1024;

/** The list of an attempt (`attemptFolder`). */
const ATTEMPT_LIST = /^tickets\/[^/]+\/attempt-\d+\/bundle\.json$/;

/** A segment of the audit log (`segmentPath`). */
const AUDIT_SEGMENT = /^audit\/\d{6}\.jsonl$/;

/** A place that holds a run and its files: the records of this machine, an archive, or the folder of an unpacked one. */
export interface BundleSource {
  readonly kind: "records" | "archive" | "folder";
  readonly run: string;
  readonly rows: Iterable<JournalRow>;
  /** The end of the journal as it is recorded beside it; and the number of its last row, if that is known from elsewhere. */
  readonly recorded: Tip;
  readonly last?: number;
  /** True if the run has ended for good, by what is recorded beside the journal. */
  readonly hasEnded: boolean;
  /** True if an engine works on the run now. */
  readonly isLive: boolean;
  /** Faults of the source as a whole, in words. */
  readonly problems: readonly string[];
  /** Every file of an archive or of an unpacked one, folders aside. The records of a run hold more than is listed: undefined. */
  readonly paths?: readonly string[];
  sum(path: string): Promise<Summed | undefined>;
  text(path: string): Promise<string | undefined>;
}

/** A run of this machine. `read` reads its journal. */
export async function recordsSource(
  { row, folder, live }: RecordedRun,
  { rows, recorded, last }: ReturnType<RunStore["rawJournal"]>,
): Promise<BundleSource> {
  const files = await filesBelow(folder);
  const hasEnded = row.endedAt !== undefined && row.reason !== GIVEN_UP;
  return { kind: "records", run: row.run, rows, recorded, last, hasEnded, isLive: live, problems: [], ...files };
}

/** The folder of an unpacked archive. Gives the reason if it is none. */
export async function folderSource(path: string): Promise<BundleSource | string> {
  const files = await filesBelow(path);
  return packedSource("folder", { ...files, paths: await pathsBelow(path) }, []);
}

/** An archive, which is read once and not unpacked. Gives the reason if it is none. */
export async function archiveSource(path: string): Promise<BundleSource | string> {
  const { problems, sums, texts } = await readArchive(path, isRead);
  const files = {
    paths: [...sums.keys()],
    sum: async (name: string) => sums.get(name),
    text: async (name: string) => texts.get(name),
  };
  const source = await packedSource("archive", files, problems);
  return typeof source === "string" && problems[0] !== undefined ? `${source}; ${problems[0]}` : source;
}

/** True for the texts that a check reads. An agent may call a file of its outbox as a list is called. */
function isRead(path: string): boolean {
  return path === RUN_FILES.journal || path === BUNDLE_JSON || ATTEMPT_LIST.test(path) || AUDIT_SEGMENT.test(path);
}

type Files = Pick<BundleSource, "sum" | "text" | "paths">;

async function packedSource(
  kind: "archive" | "folder",
  files: Files,
  problems: readonly string[],
): Promise<BundleSource | string> {
  const text = await files.text(BUNDLE_JSON);
  if (text === undefined) return `it has no ${BUNDLE_JSON}`;
  const list = BundledRun.safeParse(parsed(text));
  if (!list.success) return `its ${BUNDLE_JSON} is not the list of a run that this loopdash knows`;
  const { run, ended, journal } = list.data;
  const rows = rowsOf(run, await files.text(RUN_FILES.journal));
  const recorded = { seq: journal.rows, hash: journal.head };
  return { kind, run, rows, recorded, hasEnded: ended, isLive: false, problems, ...files };
}

const StoredRow = z.object({
  seq: z.number(),
  at: z.number(),
  type: z.string(),
  ticket: z.string().nullable(),
  data: z.string(),
  prev: z.string(),
  hash: z.string(),
});

/** The rows of a packed journal. Throws JournalBroken at the first line that is no row. */
function* rowsOf(run: string, text: string | undefined): Generator<JournalRow> {
  if (text === undefined) throw new JournalBroken(`journal of run ${run}: ${RUN_FILES.journal} is missing`);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const [i, line] of lines.entries()) {
    const row = StoredRow.safeParse(parsed(line));
    if (!row.success) throw new JournalBroken(`journal of run ${run}, row ${i + 1}: it is no row`);
    yield row.data;
  }
}

/** The value of a JSON text; undefined if it is none. */
export function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function filesBelow(folder: string): Promise<Files> {
  const root = await realpath(folder);
  return {
    sum: (path) => sumFile(join(root, path)),
    text: async (path) => {
      const read = await readPlainFile(root, path, TEXT_BYTES);
      return read?.ok === true ? read.text : undefined;
    },
  };
}

/** The paths of everything below a folder that is no folder, with "/". Follows no link. */
async function pathsBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, "/"))
    .toSorted();
}
