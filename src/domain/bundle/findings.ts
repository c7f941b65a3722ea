import { plural } from "../values/text.ts";

/** A row of the journal, or a file, that does not hold. */
export interface Problem {
  readonly kind: "journal" | "missing" | "changed" | "not readable" | "unlisted" | "malformed";
  /** The file, by its path below the run's folder; absent for the journal. */
  readonly path?: string;
  /** In one line. */
  readonly why: string;
}

/** The result of checking a run's journal and files. */
export interface Findings {
  readonly run: string;
  readonly source: "records" | "archive" | "folder";
  /** True if the journal ends with the end of the run. */
  readonly ended: boolean;
  /** Rows that hold, and the hash of the last of them. */
  readonly rows: number;
  readonly head: string;
  /** Lists of attempts that hold, and listed files that do: those of the attempts and of the run. */
  readonly bundles: number;
  readonly files: number;
  /** Rows of the audit log that hold. */
  readonly audited: number;
  readonly problems: readonly Problem[];
  /** Facts that are not proven, and why: none of them is a sign of a change. */
  readonly notes: readonly string[];
}

/** The sum of a file, or why it has none; undefined if it is not there. */
type Found = { readonly ok: true; readonly sha256: string } | { readonly ok: false; readonly why: string } | undefined;

/** The problem of a listed file; undefined if it has the listed content. `since`: when that was listed. */
export function compareFile(path: string, listed: string, found: Found, since: string): Problem | undefined {
  if (found === undefined) return { kind: "missing", path, why: "it is listed, and is not there" };
  if (!found.ok) return { kind: "not readable", path, why: found.why };
  return found.sha256 === listed ? undefined : { kind: "changed", path, why: `its content is not what it was ${since}` };
}

/** Findings as lines for people. The first one says whether all holds. */
export function findingLines({
  run,
  source,
  ended,
  rows,
  head,
  bundles,
  files,
  audited,
  problems,
  notes,
}: Findings): readonly string[] {
  const where = source === "records" ? "" : `, ${source === "archive" ? "an archive" : "a folder"}`;
  const verdict =
    problems.length === 0
      ? "all of it holds"
      : `${plural(problems.length, "thing")} ${problems.length === 1 ? "does" : "do"} not hold`;
  return [
    `${run}${where}: ${verdict}`,
    `  holds: ${plural(rows, "row")} of the journal${rows === 0 ? "" : `, the last is ${head}`}`,
    `  holds: ${plural(bundles, "bundle")} of attempts, ${plural(files, "file")}`,
    ...(audited === 0 ? [] : [`  holds: ${plural(audited, "row")} of the audit log`]),
    ...problems.map(({ kind, path, why }) => `  ${kind}: ${path === undefined ? "" : `${path}: `}${why}`),
    ...notes.map((note) => `  note: ${note}`),
    ...(ended || problems.length > 0 ? [] : ["  note: the run has not ended: this is how it stands now"]),
  ];
}
