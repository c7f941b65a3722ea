import { expect, test } from "vitest";
import { claims, finishLine, plumbing } from "../store/scenes.ts";
import { movedWithoutCause } from "./stillness.ts";

test.each([
  [80, 24],
  [120, 34],
] as const)("at %i×%i nothing moves without a cause, whatever is found, lands or ends", async (columns, rows) => {
  for (const run of [plumbing().ships("T-7", 5), claims().working("T-2-d1").ships("T-2-d1"), finishLine().ships("T-4", 5)])
    expect(await movedWithoutCause(run.events, [columns, rows])).toEqual([]);
});
