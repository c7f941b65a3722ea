import { expect, test } from "vitest";
import { told } from "./sample.ts";

test.for([
  ["{:1}", "1:2  a key is expected here; keys stand in double quotes"],
  ['{"a":1,,"b":2}', "1:8  a key is expected here; keys stand in double quotes"],
  ['{"a":\u00a01}', "1:6  this is not JSON"],
] as const)("where there is no word, none is named: %s", ([text, expected]) => {
  expect(told(text)).toBe(`batch.json:${expected}`);
});
