import { compareNeeds, describeNeed, listNeeds, type Need } from "../../domain/schedule/needs.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { jsonText, plainText } from "../../domain/values/text.ts";
import { formatDuration } from "../../domain/values/time.ts";
import { UserError } from "../../domain/values/user-error.ts";
import { STYLES } from "../../store/labels/tone.ts";
import { isRecent } from "../../store/watch-list.ts";
import { createLiveness, findRun, type Liveness, listRuns, withStore } from "../find-run.ts";
import { folderUrl, printedLine, printsLinks } from "../links.ts";
import { writeAll } from "../print.ts";
import { runFolder, stateHome } from "../state-home.ts";

/** Lists all runs, newest first, and behind them what needs a person. */
export function runs(json: boolean): number {
  if (json) {
    writeAll(1, jsonText(runsWithNeeds(), 2));
    return 0;
  }
  const rows = listRuns();
  const needs = listNeedsOfRuns(rows);
  const home = stateHome(process.env, process.cwd());
  const links = printsLinks();
  const width = Math.max(0, ...rows.map(({ run }) => run.length));
  for (const row of rows) {
    const verdict = row.verdict ?? (row.live ? "at work" : "unfinished");
    const took = row.endedAt === undefined ? "" : formatDuration(row.endedAt - row.startedAt);
    const started = new Date(row.startedAt).toISOString().slice(0, 16).replace("T", " ");
    const url = links ? folderUrl(runFolder(home, row.run)) : undefined;
    const name = url === undefined ? row.run : { text: row.run, url };
    writeAll(
      1,
      `${printedLine([name, " ".repeat(width - row.run.length)], links)}  ${started}  ${verdict.padEnd(10)}  ${took.padStart(8)}  ${plainText(row.batchPath)}\n`,
    );
  }
  if (needs.length > 0) writeAll(1, `\n${STYLES.needsYou.glyph} NEEDS YOU\n`);
  for (const { run, need } of needs) writeAll(1, `  ${run.padEnd(width)}  ${describeNeed(need)}\n`);
  return 0;
}

/** All runs, newest first, with what needs a person. */
export function runsWithNeeds(read = createNeedsReader()): readonly (Row & { readonly needs: readonly Need[] })[] {
  const rows = listRuns(read.liveness);
  const needs = listNeedsOfRuns(rows, read.needsIn);
  return rows.map((row) => ({ ...row, needs: needs.flatMap(({ run, need }) => (run === row.run ? [need] : [])) }));
}

/** Reads what runs need. For callers that ask repeatedly: a journal is read again only if it has grown. */
export interface NeedsReader {
  readonly liveness: Liveness;
  readonly needsIn: (run: RunId) => readonly Need[];
}

/** A reader without any memory yet. */
export function createNeedsReader(): NeedsReader {
  const kept = new Map<RunId, { readonly events: number; readonly needs: readonly Need[] }>();
  return {
    liveness: createLiveness(),
    needsIn: (run) => {
      const events = withStore((store) => store.eventCount(run));
      const known = kept.get(run);
      if (known?.events === events) return known.needs;
      const needs = needsIn(run);
      kept.set(run, { events, needs });
      return needs;
    },
  };
}

type Row = ReturnType<typeof listRuns>[number];

/** The needs of the last run of each batch, if it is not done or has ended lately, in order. */
function listNeedsOfRuns(rows: readonly Row[], read: NeedsReader["needsIn"] = needsIn): readonly { run: RunId; need: Need }[] {
  const isLast = (row: Row, i: number) => rows.findIndex(({ batchPath }) => batchPath === row.batchPath) === i;
  const open = rows.filter((row, i) => (row.verdict !== "done" || isRecent(row, Date.now())) && isLast(row, i));
  const needs = open.flatMap(({ run }) => read(run).map((need) => ({ run, need })));
  return needs.toSorted((a, b) => compareNeeds(a.need, b.need));
}

/** A run whose journal cannot be read needs a person, too. */
function needsIn(run: RunId): readonly Need[] {
  try {
    return listNeeds(findRun(run).state);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [{ kind: "halt", says: `${error.what}: ${error.why}`, blocks: [] }];
  }
}
