import { expect, test } from "vitest";
import { mostHeals } from "../../../src/domain/batch/heals-spec.ts";

test.each([
  ["claude", undefined, 2],
  ["command", undefined, 0],
  ["command", 1, 1],
  ["claude", 0, 0],
])("an agent of kind %s with limits.heals %j may be healed %i times", (kind, heals, most) => {
  expect(mostHeals({ agent: { kind }, limits: { heals } })).toBe(most);
});
