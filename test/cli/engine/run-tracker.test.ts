import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OutsideTracker } from "../../../src/cli/engine/outside-tracker.ts";
import { readFrozenTracker, trackerOf } from "../../../src/cli/engine/run-tracker.ts";
import { RunId, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf } from "../../domain/simulate.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

test("the tracker is where the batch says, and the oracle is told the same place", () => {
  const batch = batchOf([]);
  expect(trackerOf(batch, "/run").place).toEqual({ kind: "embedded", file: "/run/tracker.json" });
  const folder = { ...batch, tracker: { kind: "local", path: "/tickets" } } as const;
  expect(trackerOf(folder, "/run").place).toEqual({ kind: "folder", folder: "/tickets" });
});

const scratch = scratchFolder();

test("of a kept place only that counts which the hash of the batch covers", async () => {
  const folder = scratch();
  const run = RunId.parse("run-1");
  const place = { kind: "linear", canceled: "open", keys: { "ENG-1": "one" }, repos: {} };
  const keep = (value: unknown) => writeFileSync(join(folder, "tracker-place.json"), JSON.stringify(value));
  const kept = async () =>
    (await readFrozenTracker({} as OutsideTracker, { folder, run, tickets: [TicketId.parse("ENG-1")] })).place;
  // A key of a ticket that was found would win over the service's own, and a file would stand in for the service.
  keep({ ...place, keys: { ...place.keys, "ENG-1-d1": "another" }, file: "/issues.json" });
  expect(await kept()).toEqual(place);
  keep({ kind: "command", program: "p", folder: "/f", keys: {} });
  expect(await kept()).toEqual({ kind: "command", program: "p", folder: "/f" });
  keep(null);
  await expect(kept()).rejects.toThrow("run-1 cannot be judged");
});
