/**
 * Coupons, spread over the lines of a cart by allocate(). At first a coupon that is worth more than the cart pays money out, and
 * its own tests do not check that. After the review says so, it caps the value. Leaves its change uncommitted.
 */
export async function work(kit) {
  await kit.read("src/money.js");
  await kit.read("src/cart.js");
  const told = /coupon/i.test(kit.evidence);
  if (told) await kit.think("The review is right: a coupon may take at most what the cart costs", 500);
  else await kit.think("A coupon is a percentage of the cart or an amount; each line gets its share", 500);
  await kit.write("src/coupon.js", told ? COUPON : COUPON.replace(CAP, UNCAPPED));
  await kit.write("src/coupon.test.js", told ? TESTS : TESTS.replace(CAP_TEST, ""));
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
