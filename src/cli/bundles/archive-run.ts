import { hash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { type ArchiveEntry, writeArchive } from "../../adapters/archive/write-archive.ts";
import { readPlainFile } from "../../adapters/plain-file.ts";
import { BUNDLE_JSON, ListedAttempt } from "../../domain/bundle/bundle.ts";
import type { RunBundle } from "../../domain/bundle/run-bundle.ts";
import { parsed } from "./bundle-source.ts";
import { type ReadRun, runParts } from "./run-parts.ts";

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
