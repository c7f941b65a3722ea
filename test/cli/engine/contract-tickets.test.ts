import { expect, test } from "vitest";
import { missingContractTickets } from "../../../src/cli/engine/load-batch.ts";
import type { OutsideTracker } from "../../../src/cli/engine/outside-tracker.ts";
import { id, ids, Stage } from "../../adapters/tracker/linear/stage.ts";

test("a ticket that Linear has archived is no mistyped one", async () => {
  const stage = await Stage.open();
  const archivedAt = "2026-11-26T13:00:00.000Z";
  stage.standIn.people.updateIssue(stage.issue("ENG-2").id, { archivedAt }, { actor: null });
  const outside = {
    serviceOf: (listed: ReturnType<typeof ids>) => ({ service: stage.service({}, { listed }) }),
  } as Partial<OutsideTracker> as OutsideTracker;
  const missing = await missingContractTickets(ids("ENG-1", "ENG-2", "ENG-77", "OTHER-1"), {
    ...{ outside, kind: "linear", known: [id("ENG-7")], locate: () => undefined },
  });
  expect(missing.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^Linear has no ticket "ENG-77"/),
    expect.stringMatching(/^Linear has no ticket "OTHER-1"/),
  ]);
});
