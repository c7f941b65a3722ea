import { join } from "node:path";
import { expect, test } from "vitest";
import { writeArchive } from "../../../src/adapters/archive/write-archive.ts";
import { archiveSource } from "../../../src/cli/bundles/bundle-source.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();

test("an archive's texts are kept for its own lists alone, and not for every file that is called so", async () => {
  const list = { format: 1, kind: "run", run: "r", ended: true, journal: { rows: 0, head: "0".repeat(64) }, files: [] };
  const own = ["bundle.json", "tickets/T-1/attempt-1/bundle.json"];
  const others = ["x/bundle.json", "tickets/T-1/attempt-1/outbox/bundle.json", "tickets/T-1/attempt-1/later/bundle.json"];
  const to = join(folder(), "r.tar.gz");
  const entries = [...own, ...others].map((path) => ({ name: `r/${path}`, text: JSON.stringify(list) }));
  await writeArchive(to, entries, new Date(0));
  const source = await archiveSource(to);
  if (typeof source === "string") throw new Error(source);
  const kept = await Promise.all([...own, ...others].map(async (path) => (await source.text(path)) !== undefined));
  expect(kept).toEqual([true, true, false, false, false]);
  expect(source.paths).toEqual([...own, ...others]);
});
