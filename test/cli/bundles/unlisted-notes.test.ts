import { expect, test } from "vitest";
import { unlistedNotes } from "../../../src/cli/bundles/check-bundle.ts";
import { batchOf, RunBuilder } from "../../store/run-builder.ts";

const note = (ids: readonly string[], isLive: boolean) => {
  const run = new RunBuilder(batchOf({ tickets: ids.map((id) => ({ id })) }));
  for (const id of ids) run.claim(id);
  return unlistedNotes({ isLive }, run.events)[0];
};

test("attempts without a list of their files are named, one or several", () => {
  expect(note([], true)).toBeUndefined();
  expect(note(["A"], false)).toMatch(/^1 attempt without a list, so its files are not checked \(its engine was lost\): A, /);
  expect(note(["A", "B"], true)).toMatch(
    /^2 attempts without a list, so their files are not checked \(they are under way, or their engines were lost\): A, .*; B, /,
  );
});
