import { expect, test } from "vitest";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { describeEvent } from "../../../src/store/describe-event.ts";
import { plumbing } from "../scenes.ts";

const { state } = plumbing();
const tell = (fact: RunFact) => describeEvent({ ...fact, seq: 1, at: 0 }, state);

test("the check of a base that runs again tells its begin and that the base still fails; a pass has a line of its own", () => {
  const repo = RepoId.parse("app");
  const found = { sha: "0123456789", foundBy: TicketId.parse("T-7"), step: 1, summary: "exit 1" } as const;
  expect(tell({ type: "base-check-started", repo })).toMatchObject({ text: "check runs again on the base of app" });
  expect(tell({ type: "base-check-ended", repo, ...found, ok: false })).toMatchObject({
    tone: "bad",
    text: "the base of app still fails at 0123456: exit 1",
  });
  expect(tell({ type: "base-check-ended", repo, ...found, ok: true })).toBeUndefined();
});
