/** Coupons, spread over the lines of a cart by allocate(). Leaves its change uncommitted. */
export async function work(kit) {
  await kit.read("src/money.js");
  await kit.read("src/cart.js");
  await kit.think("A fixed coupon must not make a line negative: cap it at the subtotal", 500);
  await kit.write("src/coupon.js", COUPON);
  await kit.write("src/coupon.test.js", TESTS);
  await kit.test();
  kit.say("Coupons are in. I stop here.");
}

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
