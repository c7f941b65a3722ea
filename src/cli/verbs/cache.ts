import { existsSync } from "node:fs";
import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import { jsonText, plainText, plural } from "../../domain/values/text.ts";
import { formatDuration } from "../../domain/values/time.ts";
import type { KeptResultRow } from "../../ports/check-results.ts";
import type { PreparedTree } from "../../ports/prepared-trees.ts";
import type { RunStore } from "../../ports/run-store.ts";
import { openPreparedTrees } from "../prepared-trees.ts";
import { writeAll } from "../print.ts";
import { type StateHome, stateHome } from "../state-home.ts";

/** Lists the kept results of prepare commands and of checks, the last used first, or removes them all. */
export async function cache({ clear, json }: { readonly clear: boolean; readonly json: boolean }): Promise<number> {
  const home = stateHome(process.env, process.cwd());
  const trees = openPreparedTrees(home, { run: "cache", maxBytes: Number.POSITIVE_INFINITY });
  if (clear) {
    const removed = await trees.clear();
    const results = withRecords(home, (store) => store.clearKeptResults()) ?? 0;
    const says = `removed ${plural(removed, "preparation")} and ${plural(results, "result")} of checks\n`;
    writeAll(1, json ? jsonText({ removed, results }) : says);
    return 0;
  }
  const prepared = await trees.list();
  const results = withRecords(home, (store) => store.keptResults()) ?? [];
  if (json) writeAll(1, jsonText([...prepared.map(preparedRow), ...results.map(resultRow)], 2));
  else writeAll(1, [...preparedLines(prepared), ...resultLines(results)].map((line) => `${line}\n`).join(""));
  return 0;
}

/** What the records say; undefined if there are none yet. */
function withRecords<T>(home: StateHome, use: (store: RunStore) => T): T | undefined {
  if (!existsSync(home.db)) return undefined;
  const store = openRunStore(home.db);
  try {
    return use(store);
  } finally {
    store.close();
  }
}

function preparedRow({ bytes, files, key, madeAt, ms, name, usedAt }: PreparedTree) {
  return { kind: "preparation", key, name, files, bytes, madeAt, usedAt, ms };
}

function resultRow({ at: madeAt, bytes, forEveryRun, key, name, run, usedAt }: KeptResultRow) {
  return { kind: "result", key, name, bytes, madeAt, usedAt, run, forEveryRun };
}

function preparedLines(all: readonly PreparedTree[]): readonly string[] {
  if (all.length === 0) return ["no preparation is kept"];
  return all.map(({ bytes, files, key, ms, name, usedAt }) =>
    line({ key, usedAt, bytes }, plural(files, "file").padStart(14), `took ${formatDuration(ms)}`, plainText(name, 60)),
  );
}

function resultLines(all: readonly KeptResultRow[]): readonly string[] {
  if (all.length === 0) return ["no result of a check is kept"];
  return all.map(({ forEveryRun, name, run, ...row }) =>
    line(row, forEveryRun ? "for every run" : `for ${plainText(run, 60)}`, plainText(name, 60)),
  );
}

function line({ key, usedAt, bytes }: { key: string; usedAt: number; bytes: number }, ...rest: readonly string[]): string {
  const used = new Date(usedAt).toISOString().slice(0, 16).replace("T", " ");
  return [key.slice(0, 12), used, `${(bytes / 2 ** 20).toFixed(1)} MiB`.padStart(12), ...rest].join("  ");
}
