import { expect, test } from "vitest";
import { trackerOf } from "../../../src/cli/engine/run-tracker.ts";
import { batchOf } from "../../domain/simulate.ts";

test("the tracker is where the batch says, and the oracle is told the same place", () => {
  const batch = batchOf([]);
  expect(trackerOf(batch, "/run").place).toEqual({ kind: "embedded", file: "/run/tracker.json" });
  const folder = { ...batch, tracker: { kind: "local", path: "/tickets" } } as const;
  expect(trackerOf(folder, "/run").place).toEqual({ kind: "folder", folder: "/tickets" });
});
