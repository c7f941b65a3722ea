import { plainText } from "../../domain/values/text.ts";
import { formatDuration } from "../../domain/values/time.ts";
import { listRuns } from "../find-run.ts";
import { folderUrl, printedLine, printsLinks } from "../links.ts";
import { writeAll } from "../print.ts";
import { runFolder, stateHome } from "../state-home.ts";

/** Lists all runs, newest first. */
export function runs(json: boolean): number {
  const rows = listRuns();
  if (json) {
    writeAll(1, `${JSON.stringify(rows, undefined, 2)}\n`);
    return 0;
  }
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
  return 0;
}
