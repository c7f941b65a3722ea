import { expect, test } from "vitest";
import { changedPaths } from "../../../src/domain/batch/changed-paths.ts";
import { batchOf, ticketOf } from "../simulate.ts";

const before = batchOf([ticketOf("T-1"), ticketOf("T-2")]);
test("a change of the batch is named by its paths, tickets by their ids", () => {
  const now = { ...batchOf([ticketOf("T-1", { title: "Another" }), ticketOf("T-2")]), limits: { ...before.limits, attempts: 9 } };
  expect(changedPaths(before, now)).toEqual(["limits.attempts", "tickets.T-1.title"]);
});

test("a ticket that is new or gone is one path; what is the same has none", () => {
  expect(changedPaths(before, batchOf([ticketOf("T-1")]))).toEqual(["tickets.T-2"]);
  expect(changedPaths(before, before)).toEqual([]);
});

test("a change of the tracker has its values, unless it is of a command or an environment", () => {
  const linear = { tracker: { kind: "linear", team: "ENG", doneState: "Done" } };
  expect(changedPaths(linear, { tracker: { ...linear.tracker, doneState: "Shipped", label: "agents" } })).toEqual([
    'tracker.doneState: "Done" → "Shipped"',
    'tracker.label: not set → "agents"',
  ]);
  const program = { tracker: { kind: "command", command: ["a", "secret"], env: { TOKEN: "secret" } } };
  const other = { tracker: { kind: "command", command: ["a", "other"], env: { TOKEN: "other" } } };
  expect(changedPaths(program, other).join()).not.toMatch(/secret|other/);
});
