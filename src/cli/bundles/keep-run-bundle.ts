import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeWhole } from "../../adapters/run-files/write-whole.ts";
import { BUNDLE_JSON } from "../../domain/bundle/bundle.ts";
import type { RunId } from "../../domain/values/ids.ts";
import type { RunStore } from "../../ports/run-store.ts";
import { readRun, runParts } from "./run-parts.ts";

/** Writes the bundle of a run that has ended into its folder, in place of an earlier one. Throws the system's error. */
export async function keepRunBundle(store: RunStore, run: RunId, folder: string): Promise<void> {
  const { bundle, texts } = await runParts(readRun(store, run), { folder, isLive: false, isWhole: false });
  for (const [path, text] of texts) {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    await writeWhole(join(folder, path), text);
  }
  await writeWhole(join(folder, BUNDLE_JSON), `${JSON.stringify(bundle, undefined, 2)}\n`);
}
