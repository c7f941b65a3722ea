/**
 * Coupons, spread over the lines of a cart by allocate(). At first a coupon that is worth more than the cart pays money out, and
 * its own tests do not check that. Told so by the review, it looks for its code, which a fresh worktree does not have, again and again,
 * until loopdash ends it and gives it that code back. Then it caps the value. Leaves its change uncommitted.
 */
export async function work(kit) {
  if (await kit.has("src/coupon.js")) return cap(kit);
  const isTold = /coupon/i.test(kit.evidence);
  if (isTold) await goInCircles(kit);
  else await plan(kit);
  await kit.write("src/coupon.js", isTold ? COUPON : COUPON.replace(CAP, UNCAPPED));
  await kit.write("src/coupon.test.js", isTold ? TESTS : TESTS.replace(CAP_TEST, ""));
  await stop(kit);
}

async function plan(kit) {
  await kit.read("src/money.js");
  await kit.read("src/cart.js");
  await kit.think("A coupon is a percentage of the cart or an amount; each line gets its share", 500);
}

/** Far more often than loopdash lets it. */
async function goInCircles(kit) {
  kit.say("The review is right. Where are the coupons?");
  for (let tries = 0; tries < 30; tries++) await kit.tool("cat", "src/coupon.js");
  kit.say("They are gone, so I write them anew");
}

async function cap(kit) {
  await kit.read("src/coupon.js");
  await kit.think("The review is right: a coupon may take at most what the cart costs", 500);
  await kit.edit("src/coupon.js", UNCAPPED, CAP);
  await kit.write("src/coupon.test.js", TESTS);
  await stop(kit);
}

async function stop(kit) {
  await kit.test();
  kit.say("Coupons are in. I stop here.");
}

const CAP = "return Math.max(0, Math.min(whole, value));";
const UNCAPPED = "return value;";

const COUPON = `import { lineTotal, subtotal } from "./cart.js";
import { allocate } from "./money.js";

/** What a coupon takes off, in cents: {percent} of the cart or {cents}, never more than the cart costs. */
export function couponValue(cart, coupon) {
  const whole = subtotal(cart);
  const value = "percent" in coupon ? Math.round((whole * coupon.percent) / 100) : coupon.cents;
  return Math.max(0, Math.min(whole, value));
}

/** The same, line by line; the parts add up to the coupon's value. */
export function couponByLine(cart, coupon) {
  if (cart.lines.length === 0) return [];
  return allocate(couponValue(cart, coupon), cart.lines.map(lineTotal));
}
`;

const CAP_TEST = /test\("takes at most what the cart costs"[\s\S]*?\n\}\);\n\n/;

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { addProduct, emptyCart } from "./cart.js";
import { PRODUCTS } from "./catalog.js";
import { couponByLine, couponValue } from "./coupon.js";

const cart = addProduct(addProduct(emptyCart(), PRODUCTS[0]), PRODUCTS[1]);

test("takes a percentage off", () => {
  assert.equal(couponValue(cart, { percent: 10 }), 224);
});

test("takes at most what the cart costs", () => {
  assert.equal(couponValue(cart, { cents: 9999 }), 2240);
  assert.equal(couponValue(emptyCart(), { cents: 500 }), 0);
});

test("spreads a coupon over the lines to the cent", () => {
  const parts = couponByLine(cart, { cents: 100 });
  assert.equal(parts.reduce((sum, part) => sum + part, 0), 100);
  assert.deepEqual(couponByLine(emptyCart(), { cents: 100 }), []);
});
`;
