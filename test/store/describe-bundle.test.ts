import { expect, test } from "vitest";
import type { RunFact } from "../../src/domain/run/event.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { describeEvent } from "../../src/store/describe-event.ts";
import { plumbing } from "./scenes.ts";

const { state } = plumbing();
const tell = (fact: RunFact) => describeEvent({ ...fact, seq: 1, at: 0 }, state);

test("a bundle that is written makes no line; one that cannot be does", () => {
  const attempt = { ticket: TicketId.parse("T-7"), attempt: 2 };
  expect(tell({ type: "attempt-bundled", ...attempt, sha256: "a", files: 3 })).toBeUndefined();
  expect(tell({ type: "attempt-not-bundled", ...attempt, why: "the disk is full" })).toMatchObject({
    text: "attempt 2: its bundle could not be written: the disk is full",
  });
});
