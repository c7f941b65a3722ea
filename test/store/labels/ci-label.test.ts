import { expect, test } from "vitest";
import { layoutLabel } from "../../../src/store/labels/ci-label.ts";

test.for([
  [{ fixers: ["npm run format"] }, "repaired by npm run format"],
  [{ fixers: [], ignored: "x could not start" }, "fixers ended: x could not start"],
  [
    { fixers: ["a", "b"], ignored: "c changed d, which the agent did not touch" },
    "repaired by a, b; fixers ended: c changed d, which the agent did not touch",
  ],
] as const)("what fixers did to an agent's work: %j", ([layout, text]) => {
  expect(layoutLabel(layout)[1]).toBe(text);
});
