/** Prices in Swiss francs. A scripted person closes the ticket before an agent starts on it. */
export async function work(kit) {
  await kit.read("src/money.js");
  await kit.think("One rate for all prices, rounded to five centimes as cash is", 500);
  await kit.write("src/francs.js", FRANCS);
  await kit.write("src/francs.test.js", TESTS);
  if (await kit.test()) await kit.commit("Show prices in Swiss francs");
}

const FRANCS = `/** A price in Swiss centimes at \`rate\` francs per euro, rounded to five. */
export function inCentimes(cents, rate) {
  return Math.round((cents * rate) / 5) * 5;
}
`;

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { inCentimes } from "./francs.js";

test("rounds to five centimes", () => {
  assert.equal(inCentimes(1450, 0.94), 1365);
  assert.equal(inCentimes(0, 0.94), 0);
});
`;
