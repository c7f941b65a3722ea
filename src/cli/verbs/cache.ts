import { plural } from "../../domain/values/plural.ts";
import { plainText } from "../../domain/values/text.ts";
import { formatDuration } from "../../domain/values/time.ts";
import { openPreparedTrees } from "../prepared-trees.ts";
import { writeAll } from "../print.ts";
import { stateHome } from "../state-home.ts";

/** Lists the kept results of prepare commands, the last used first, or removes them all. */
export async function cache({ clear, json }: { readonly clear: boolean; readonly json: boolean }): Promise<number> {
  const home = stateHome(process.env, process.cwd());
  const store = openPreparedTrees(home, { run: "cache", maxBytes: Number.POSITIVE_INFINITY });
  if (clear) {
    const removed = await store.clear();
    writeAll(1, json ? `${JSON.stringify({ removed })}\n` : `removed ${plural(removed, "preparation")}\n`);
    return 0;
  }
  const all = await store.list();
  if (json) {
    const rows = all.map(({ bytes, files, key, madeAt, ms, name, usedAt }) => ({ key, name, files, bytes, madeAt, usedAt, ms }));
    writeAll(1, `${JSON.stringify(rows, undefined, 2)}\n`);
    return 0;
  }
  if (all.length === 0) {
    writeAll(1, "no preparation is kept\n");
    return 0;
  }
  for (const { bytes, files, key, ms, name, usedAt } of all) {
    const used = new Date(usedAt).toISOString().slice(0, 16).replace("T", " ");
    const size = `${(bytes / 2 ** 20).toFixed(1)} MiB`.padStart(12);
    const row = [
      key.slice(0, 12),
      used,
      size,
      plural(files, "file").padStart(14),
      `took ${formatDuration(ms)}`,
      plainText(name, 60),
    ];
    writeAll(1, `${row.join("  ")}\n`);
  }
  return 0;
}
