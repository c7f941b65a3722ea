import { expect, test } from "vitest";
import { whatChanged } from "../../../src/domain/batch/changed-paths.ts";
import { batchOf, ticketOf } from "../simulate.ts";

const before = batchOf([ticketOf("T-1"), ticketOf("T-2")]);
const said = "the batch file was changed since the run began: ";

test("a change of the batch is named by its paths, tickets by their ids", () => {
  const now = { ...batchOf([ticketOf("T-1", { title: "Another" }), ticketOf("T-2")]), limits: { ...before.limits, attempts: 9 } };
  expect(whatChanged(before, now)).toBe(`${said}limits.attempts, tickets.T-1.title`);
});

test("a ticket that is new or gone is one path; what the parsed batch does not show is layout", () => {
  expect(whatChanged(before, batchOf([ticketOf("T-1")]))).toBe(`${said}tickets.T-2`);
  expect(whatChanged(before, before)).toBe(`${said}its layout, comments or number of workers`);
});
