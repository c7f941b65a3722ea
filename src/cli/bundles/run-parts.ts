import { hash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { type ArchiveEntry, writeArchive } from "../../adapters/archive/write-archive.ts";
import { sumFile } from "../../adapters/file-sum.ts";
import { followChain } from "../../adapters/journal/chain.ts";
import { readPlainFile } from "../../adapters/plain-file.ts";
import { listFolder } from "../../adapters/run-files/list-folder.ts";
import { SEGMENT_BYTES, segmentPath } from "../../domain/audit/audit-row.ts";
import { attemptFolder, BUNDLE_JSON, BUNDLE_MD, type BundleFile, ListedAttempt } from "../../domain/bundle/bundle.ts";
import { describeFile } from "../../domain/bundle/describe-file.ts";
import {
  batchText,
  judgementsText,
  RUN_FILE_WORDS,
  RUN_FILES,
  type RunBundle,
  runBundle,
} from "../../domain/bundle/run-bundle.ts";
import { runPage } from "../../domain/bundle/run-page.ts";
import { judgementRecords } from "../../domain/results/judgements.ts";
import { computeReport } from "../../domain/results/report.ts";
import { type EarlierRun, MOST_EARLIER } from "../../domain/results/trend.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import { reduce } from "../../domain/run/reduce.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { hasErrorCode } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import type { JournalRow, RunStore, Tip } from "../../ports/run-store.ts";
import { renderMarkdown } from "../../store/results/summary.ts";
import { tampered } from "../engine/journal-state.ts";
import { parsed } from "./bundle-source.ts";

const AUDIT_WORDS = "audit log: what agents ran and changed";
/** Bytes of a segment that are read, more than one has. */
const AUDIT_BYTES = 2 * SEGMENT_BYTES;

/** A run as its journal has it at one moment. */
interface ReadRun {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly rows: readonly JournalRow[];
  readonly tip: Tip;
  readonly earlier: readonly EarlierRun[];
}

/** Reads the whole journal of a run. Throws a UserError (exit 3) if it is broken or empty. */
export function readRun(store: RunStore, run: RunId): ReadRun {
  const { rows, recorded, last } = store.rawJournal(run);
  const all: JournalRow[] = [];
  const { events, tip, problem } = followChain(run, kept(rows, all));
  if (problem !== undefined) throw tampered(run, `its journal is broken: ${problem}`);
  if (tip.hash !== recorded.hash || last !== recorded.seq) throw tampered(run, "the end of its journal is not the recorded one");
  let state: RunState | undefined;
  for (const event of events) state = reduce(state, event);
  if (state === undefined) throw tampered(run, "its journal is empty");
  return { state, events, rows: all, tip, earlier: store.earlier(run, MOST_EARLIER) };
}

function* kept(rows: Iterable<JournalRow>, all: JournalRow[]): Generator<JournalRow> {
  for (const row of rows) {
    all.push(row);
    yield row;
  }
}

/** The texts of a run's bundle by their paths, its own two included, and the other files that it lists. */
export interface RunParts {
  readonly bundle: RunBundle;
  readonly texts: ReadonlyMap<string, string>;
  readonly files: readonly BundleFile[];
}

/** Makes a run's bundle. `folder` is the run's; `isWhole`: with its journal. */
export async function runParts(
  { state, events, rows, tip, earlier }: ReadRun,
  { folder, isLive, isWhole }: { readonly folder: string; readonly isLive: boolean; readonly isWhole: boolean },
): Promise<RunParts> {
  const judgements = judgementRecords(events, state.oracleSha);
  const texts = new Map<string, string>([
    [RUN_FILES.batch, batchText(events) ?? ""],
    [RUN_FILES.oracle, judgementsText(events)],
    [RUN_FILES.report, `${JSON.stringify(computeReport(state, earlier, judgements), undefined, 2)}\n`],
    [RUN_FILES.summary, renderMarkdown(state, isLive, earlier, judgements)],
    ...(isWhole ? [[RUN_FILES.journal, rows.map((row) => `${JSON.stringify(row)}\n`).join("")] as const] : []),
  ]);
  const beside = await filesBesideAttempts(folder, state);
  const audit = await auditFiles(folder, isLive);
  for (const [path, text] of audit.texts) texts.set(path, text);
  const files = [...beside, ...audit.files];
  const listed = [...texts].map(([path, text]) => fileOf(path, text, RUN_FILE_WORDS[path] ?? AUDIT_WORDS));
  const page = runPage(runBundle(state, tip.hash, [...listed, ...files]));
  texts.set(BUNDLE_MD, page);
  const bundle = runBundle(state, tip.hash, [...listed, fileOf(BUNDLE_MD, page, "this list, for people"), ...files]);
  return { bundle, texts, files };
}

function fileOf(path: string, text: string, description: string): BundleFile {
  return { path, bytes: Buffer.byteLength(text), sha256: hash("sha256", text), description };
}

/** Logs of what ran for a ticket after its attempts, and what healers were asked and said. */
async function filesBesideAttempts(folder: string, { tickets, heals }: RunState): Promise<readonly BundleFile[]> {
  const later = [...vecItems(tickets)].flatMap(({ id, history }) =>
    [0, ...history.map(({ n }) => n)].map((n) => ({
      at: `${attemptFolder(id, n)}/later`,
      describe: (path: string) => `${describeFile(path)}, after the attempt`,
    })),
  );
  const healed = heals.past.map(({ n }) => ({
    at: `heals/${n}`,
    describe: (path: string) => `${describeFile(path)}: heal ${n}`,
  }));
  const found: BundleFile[] = [];
  for (const { at, describe } of [...later, ...healed])
    for (const file of await filesIn(join(folder, at)))
      found.push({ ...file, path: `${at}/${file.path}`, description: describe(file.path) });
  return found;
}

/**
 * The segments of the audit log. The last one of a run that goes on grows while it is packed: its text is taken once, after the journal, so it
 * holds all that the journal names.
 */
async function auditFiles(
  folder: string,
  isLive: boolean,
): Promise<{ readonly files: readonly BundleFile[]; readonly texts: readonly (readonly [string, string])[] }> {
  const files: BundleFile[] = [];
  for (let segment = 1; ; segment++) {
    const path = segmentPath(segment);
    const summed = await sumFile(join(folder, path));
    if (summed?.ok !== true) break;
    files.push({ path, bytes: summed.bytes, sha256: summed.sha256, description: AUDIT_WORDS });
  }
  const last = files.at(-1);
  const read = isLive && last !== undefined ? await readPlainFile(folder, last.path, AUDIT_BYTES) : undefined;
  return last !== undefined && read?.ok === true
    ? { files: files.slice(0, -1), texts: [[last.path, read.text]] }
    : { files, texts: [] };
}

async function filesIn(folder: string): Promise<Awaited<ReturnType<typeof listFolder>>["files"]> {
  try {
    return (await listFolder(folder, ["outbox", "session", "harness"])).files;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

/** The longest list of an attempt's files, in bytes. */
const LIST_BYTES = 8 * 1024 * 1024;

/** The number of files in an archive, and what is not in it. */
export interface Archived {
  readonly files: number;
  readonly attempts: number;
  readonly leftOut: readonly { readonly name: string; readonly why: string }[];
}

/** Writes the bundle of a run with all files that it and its attempts list as one .tar.gz, whose one folder has the run's name. */
export async function archiveRun(
  read: ReadRun,
  options: { readonly folder: string; readonly isLive: boolean; readonly to: string },
): Promise<Archived> {
  const folder = await realpath(options.folder);
  const { bundle, texts, files } = await runParts(read, { folder, isLive: options.isLive, isWhole: true });
  const { run } = read.state;
  const name = (path: string) => `${run}/${path}`;
  const attempts = await attemptEntries(folder, bundle);
  const entries: readonly ArchiveEntry[] = [
    { name: name(BUNDLE_JSON), text: `${JSON.stringify(bundle, undefined, 2)}\n` },
    ...[...texts].map(([path, text]) => ({ name: name(path), text })),
    ...[...files, ...attempts.files].map(({ path, ...sum }) => ({ name: name(path), file: join(folder, path), sum })),
  ];
  const changed = await writeArchive(options.to, entries, new Date(read.state.lastEventAt));
  const leftOut = [...attempts.leftOut, ...changed.map((each) => ({ ...each, name: each.name.slice(run.length + 1) }))];
  return { files: entries.length - changed.length, attempts: attempts.count, leftOut };
}

type Listed = { readonly path: string; readonly bytes: number; readonly sha256: string };

/** The lists of a run's attempts and their files. A list that is not the one of the journal says nothing: it is left out, with all. */
async function attemptEntries(folder: string, { attempts }: RunBundle) {
  const files: Listed[] = [];
  const leftOut: { name: string; why: string }[] = [];
  let count = 0;
  for (const { bundle } of attempts) {
    if (bundle === null) continue;
    const read = await readList(folder, bundle);
    if (typeof read === "string") {
      leftOut.push({ name: bundle.path, why: `it ${read}; the files that it lists are left out too` });
      continue;
    }
    count += 1;
    const below = bundle.path.slice(0, -BUNDLE_JSON.length);
    files.push({ path: bundle.path, bytes: read.bytes, sha256: bundle.sha256 });
    for (const { path, bytes, sha256 } of read.list.files) files.push({ path: `${below}${path}`, bytes, sha256 });
  }
  return { files, leftOut, count };
}

/** Reads the list of an attempt that the journal names. Gives the reason if it cannot be used. */
async function readList(
  folder: string,
  { path, sha256 }: Pick<Listed, "path" | "sha256">,
): Promise<{ readonly list: ListedAttempt; readonly bytes: number } | string> {
  const file = await readPlainFile(folder, path, LIST_BYTES);
  if (file === undefined) return "is missing";
  if (!file.ok) return file.why;
  if (hash("sha256", file.text) !== sha256) return "was changed since it was written";
  const list = ListedAttempt.safeParse(parsed(file.text));
  if (!list.success) return "has another form: another version of loopdash wrote it";
  return { list: list.data, bytes: Buffer.byteLength(file.text) };
}
