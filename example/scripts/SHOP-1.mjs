/**
 * Adds allocate() to the money module, with tests beside it. At first it rounds every part down, and loses cents; it stops without
 * having run a test, is told so by the stop guard, and mends it. With pull requests, a bot asks for a sentence about it.
 */
export async function work(kit) {
  await kit.read("src/money.js");
  await kit.think("Splitting 100 over three must give 34, 33, 33", 600);
  const before = await kit.read("src/money.js");
  const isBot = /when it throws/.test(kit.evidence);
  if (isBot) await kit.think("The bot is right: whoever calls it must know when it throws", 300);
  const allocate = isBot ? ALLOCATE.replace(" */", THROWS) : ALLOCATE;
  const isTold = isBot || /never loses a cent/.test(kit.evidence);
  await kit.write("src/money.js", `${before}${isTold ? allocate : allocate.replace(REST, "")}`);
  await kit.write("src/allocate.test.js", TESTS);
  if (!isTold) {
    kit.say("Amounts are split. I stop here.");
    if ((await kit.unmet()) === "") return;
    await kit.think("The stop guard is right, a test fails: hand the rest to the largest remainders", 500);
    await kit.write("src/money.js", `${before}${allocate}`);
  }
  if (await kit.test()) await kit.commit("Split amounts without losing a cent");
}

/** What hands out the cents that are left by rounding down. */
const REST = / {2}const rest = [\s\S]*?parts\[index\] \+= 1;\n/;

const THROWS = " Throws a RangeError if no weight is positive. */";

const ALLOCATE = `
/** Splits \`cents\` in proportion to \`weights\`. The parts add up to \`cents\`, always: largest remainders get the rest. */
export function allocate(cents, weights) {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (!(sum > 0) || weights.some((weight) => weight < 0)) throw new RangeError("weights must be positive");
  const exact = weights.map((weight) => (cents * weight) / sum);
  const parts = exact.map(Math.floor);
  const rest = cents - parts.reduce((total, part) => total + part, 0);
  const byRemainder = exact.map((value, index) => [value - Math.floor(value), index]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  for (const [, index] of byRemainder.slice(0, rest)) parts[index] += 1;
  return parts;
}
`;

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { allocate } from "./money.js";

test("splits in proportion", () => {
  assert.deepEqual(allocate(100, [1, 1, 2]), [25, 25, 50]);
});

test("never loses a cent", () => {
  assert.deepEqual(allocate(100, [1, 1, 1]), [34, 33, 33]);
  for (let cents = 0; cents < 200; cents += 7) {
    assert.equal(allocate(cents, [3, 5, 11]).reduce((sum, part) => sum + part, 0), cents);
  }
});

test("refuses weights that say nothing", () => {
  assert.throws(() => allocate(100, [0, 0]), RangeError);
  assert.throws(() => allocate(100, [2, -1]), RangeError);
});
`;
