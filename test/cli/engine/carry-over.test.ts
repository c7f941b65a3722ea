import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withJoinedTickets } from "../../../src/cli/engine/carry-over.ts";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { atWork, D1, discover } from "../../domain/finder.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const scratch = scratchFolder();

/** A folder with T-1 and T-2 in it, a batch over it, and the last run of that, in which T-1-d1 was found and could not be filed. */
function unfiled(): { readonly folder: string; readonly batch: Batch; readonly last: RunState } {
  const folder = join(scratch(), "tickets");
  mkdirSync(folder);
  for (const id of ["T-1", "T-2"]) writeFileSync(join(folder, `${id}.md`), `# ${id}\n`);
  const sim = atWork();
  discover(sim);
  sim.report({ type: "ticket-stalled", ticket: D1, reason: "the tracker does not hold it: down" });
  return { folder, batch: { ...sim.state.batch, tracker: { kind: "local", path: folder } }, last: sim.state };
}

test("what the last run found and could not file is filed in the folder by the new one, once, and taken along", async () => {
  const { batch, folder, last } = unfiled();
  for (let times = 0; times < 2; times += 1) {
    const grown = await withJoinedTickets(batch, last);
    expect(grown.tickets.map((ticket) => ticket.id)).toEqual(["T-1", "T-2", D1]);
    expect(readdirSync(folder).toSorted()).toEqual(["T-1-d1.md", "T-1.md", "T-2.md"]);
  }
  expect(readFileSync(join(folder, "T-1-d1.md"), "utf8")).toMatch(
    /^---\nid: T-1-d1\ntitle: "A leak"\nrepo: app\nstate: open\nnote: "found by the worker on T-1 in run test-run \(loopdash [0-9a-f]{4}\)"\n---\n\nin the cellar\n/,
  );
});

test("nothing is filed that the batch cannot take, and nobody's file is written over", async () => {
  const { batch, folder, last } = unfiled();
  const { app: _, ...repos } = batch.repos as Record<string, Batch["repos"][string]>;
  expect((await withJoinedTickets({ ...batch, repos }, last)).tickets).toHaveLength(2);
  expect(readdirSync(folder)).toHaveLength(2);
  writeFileSync(join(folder, "T-1-d1.md"), "# Another\n");
  await expect(withJoinedTickets(batch, last)).rejects.toThrow(/cannot be used/);
  expect(readFileSync(join(folder, "T-1-d1.md"), "utf8")).toBe("# Another\n");
});
